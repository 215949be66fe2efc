// Writes a Python script that runs one call of an operator again, with PyTorch, and times it.
//
// Traces come from strangers: nothing of one gets into the script but numbers that were read, the
// names of known types, and names of which every character was checked.
#pragma once

#include <cstdint>
#include <string>

#include "facts/operators/operator_call.h"
#include "stepscope/result.h"

namespace stepscope {

// What the trace says of calls with these inputs.
struct RecordedCalls {
  std::string id = {};
  std::string device = {};  // the name of the device of the longest call; empty: not known
  int64_t calls = 0;
  int64_t mean = 0, longest = 0;  // ns of activities
  int64_t longest_rank = 0;
  double flops = 0;               // of one call; 0: not known
  double flop_rate = 0;           // FLOP per second of these calls; 0: not known
  bool between_memories = false;  // a call copies between memories
  bool on_host = false;           // the job computes on processors
};

// The script. Its tensors have the sizes, types and strides of the call, and random values; whole
// numbers are 0, or indexes where that is known. Fails where the trace does not have all of the
// call: lists of tensors, indexes, values before PyTorch 2.1, copies between memories, operators
// that are not PyTorch's own.
Result<std::string> ScriptOf(const OperatorCall& call, const RecordedCalls& recorded);

}  // namespace stepscope
