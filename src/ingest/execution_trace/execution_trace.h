// What an execution trace of PyTorch says of the operators of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

// One call of an operator, or an annotated range.
struct ExecutionNode {
  int64_t record_function = 0;  // its number in the process, counted at the beginning of calls
  int64_t thread = 0;
  StringId name = kNoString;
  // Its inputs as traces of the profiler have them (TextField); kNoString: none are known.
  StringId shapes = kNoString, types = kNoString, strides = kNoString, values = kNoString;
};

// That a call took a tensor in this storage, or gave one.
struct TensorUse {
  int64_t record_function = 0;
  int64_t storage = 0;
  bool given = false;
};

struct ExecutionTrace {
  std::optional<int64_t> process;    // its id
  StringTable strings;               // of the nodes
  std::vector<ExecutionNode> nodes;  // ascending by record_function, no two alike
  std::vector<TensorUse> tensors;    // if they were asked for; ascending by record_function
  int64_t left_out = 0;              // nodes without a number of their own or a name
  bool ends_early = false;
};

}  // namespace stepscope
