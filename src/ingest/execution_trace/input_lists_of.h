// Writes the inputs of a node of an execution trace as traces of the profiler have them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace stepscope {

// Of each input what the file says, lists as "[1, [2, 3]]", truth values as "True".
struct NodeInputs {
  std::vector<std::string> values, shapes, types, strides;
};

// "[[4, 3], []]", "["float", "Scalar"]", "[[3, 1], []]", "["", "1"]"; empty texts where the lists
// of the node are of different lengths, and strides where it has none.
struct InputLists {
  std::string shapes, types, strides, values;
};

InputLists InputListsOf(const NodeInputs& inputs);

}  // namespace stepscope
