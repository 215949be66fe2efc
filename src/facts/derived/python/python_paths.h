// Merges Python's functions with the same callers, over the training threads of all ranks: the data
// of a flame graph.
#pragma once

#include <vector>

#include "facts/derived/operators/path_tree.h"
#include "facts/facts.h"

namespace stepscope {

// As PathTree::Finish(). Times within steps, as of CountedPythonOf().
std::vector<PathRow> PathsOfPython(const Facts& facts);

}  // namespace stepscope
