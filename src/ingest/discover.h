// Which files a person means by the paths they gave.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

// Files stand for themselves. A folder stands for the traces in it (*.json, *.json.gz, *.gz), or,
// if it holds none but its subfolders are named by ranks (rank_0/, rank_1/), for theirs. The same
// file reached twice is listed once. Sorted by name within a folder, numbers by value: rank-2
// before rank-10. Fails when a path does not exist, or leads to no file that could be a trace.
Result<std::vector<std::string>> FindTraces(std::span<const std::string> paths);

}  // namespace stepscope
