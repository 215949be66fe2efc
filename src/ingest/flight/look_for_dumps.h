// Tells directories that hold what a stuck job left behind, by a few of their files.
#pragma once

#include <string>

#include "ingest/places.h"

namespace stepscope {

struct DumpsSeen {
  bool dumps = false;   // stacks and statuses count too
  bool others = false;  // files that are none of these
};

// The first kHangSniff bytes of a file as they are, which are no dump's where it is compressed;
// none of what is no regular file, such as a pipe, which can be read once.
std::string StartOfFile(const std::string& path);

// Looks at the first bytes of a file, or of at most 64 files in a directory and in each of its
// first 16 directories. Reads no stored path.
DumpsSeen LookForDumps(const std::string& path);

}  // namespace stepscope
