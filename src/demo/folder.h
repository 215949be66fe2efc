// Prepares the directory of a synthetic job: creates it, and refuses one with other files.
#pragma once

#include <string>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::demo {

inline constexpr const char* kTruthName = "truth.json";

// "rank-3.pt.trace.json.gz".
std::string TraceName(int rank, bool compress);

// Makes `folder` if it does not exist, and gives back the names of the files of an earlier demo in
// it. Fails when it holds anything else: traces named like ours count as ours only beside a
// truth.json that a demo wrote, for a real job may name its traces so too.
Result<std::vector<std::string>> PrepareFolder(const std::string& folder);

// Removes those of `names` from `folder` that are not in `keep`.
Result<void> RemoveStale(const std::string& folder, const std::vector<std::string>& names,
                         const std::vector<std::string>& keep);

}  // namespace stepscope::demo
