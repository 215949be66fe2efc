// Lists the files to share, and finds the names under which they are written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redact/redactor.h"
#include "stepscope/result.h"

namespace stepscope::sharing {

struct Input {
  std::string path;
  std::string relative;  // within the output, as it is called here: "rank_0/node17_4.pt.trace.json"
  std::string target;    // the same without what is private
};

// The files below these paths, sorted: of a directory all but hidden ones and links to directories.
// Of several paths, those of a directory are below its name. Fails when a path does not exist, or
// there is nothing.
Result<std::vector<Input>> ListInputs(std::span<const std::string> paths);

// Sets the targets. Where a name has told the rank, or the order of names the order of ranks, the
// new one does: "rank3.host-...", or a number before all names of the directory. Fails if two files
// would get the same.
Result<void> NameTargets(std::vector<Input>& inputs, const redact::Redactor& redactor);

}  // namespace stepscope::sharing
