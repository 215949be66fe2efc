// Reads the names of ranges that NVTX and ROCTX record: steps, and what PyTorch writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// A range that PyTorch's emit_nvtx() made: "aten::mul, seq = 3, op_id = 7, sizes = [[2], []]".
struct TorchRange {
  std::string_view name;
  std::optional<int64_t> sequence;
  std::string_view sizes;    // empty: none
  bool is_operator = false;  // as against what users and PyTorch's modules name
};
// Nothing for other ranges.
std::optional<TorchRange> TorchRangeOf(std::string_view text);

// The number of a step by the name of its range: "ProfilerStep#3", "step 3", "train_step_3",
// "Iteration: 3", "iteration[3,5)".
std::optional<int64_t> StepOfRange(std::string_view text);

}  // namespace stepscope
