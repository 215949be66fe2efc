// Creates files and directories that only their owner may read, or the owner's group too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

enum class Sharing : uint8_t {
  kOwner,  // files 0600, directories 0700, less the umask
  kGroup,  // files 0640, directories 0750, whatever the umask
};

mode_t FileMode(Sharing sharing);

// Opens a file with these flags and O_CREAT | O_CLOEXEC. A file that exists keeps its mode.
// Returns -1, with errno, on failure.
int OpenCreating(const std::string& path, int flags, Sharing sharing);

// Creates a missing directory; missing ones above it are made as by mkdir -p. One that exists stays
// as it is.
Result<void> MakeFolder(const std::string& path, Sharing sharing);

}  // namespace stepscope
