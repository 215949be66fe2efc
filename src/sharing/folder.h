// Prepares the directory that redacted files are written to, and refuses one with other files.
#pragma once

#include <string>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::sharing {

// Lists, in a directory, the files that a call has written there. Hidden, so that it is no trace.
inline constexpr const char* kListName = ".stepscope-redacted";

// Makes the directory if it does not exist, and returns the files of an earlier call in it. Fails
// when it holds anything else.
Result<std::vector<std::string>> PrepareTarget(const std::string& folder);

// Removes the files of `before` that are not in `now`, and lists these.
Result<void> FinishTarget(const std::string& folder, const std::vector<std::string>& before,
                          std::vector<std::string> now);

}  // namespace stepscope::sharing
