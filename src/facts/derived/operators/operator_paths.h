// Merges operators with the same callers, over all ranks and threads: the data of a flame
// graph.
#pragma once

#include <vector>

#include "facts/derived/operators/path_tree.h"
#include "facts/facts.h"

namespace stepscope {

// As PathTree::Finish(); `self` as SelfTimes().
std::vector<PathRow> PathsOfOperators(const Facts& facts);

}  // namespace stepscope
