// Reads the names of an Nsight Systems report, and writes them as PyTorch's profiler does, so that
// all that knows names knows these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope::nsys {

// "cudaLaunchKernel" of "cudaLaunchKernel_v7000"; "cuMemcpyHtoDAsync_v2" stays.
std::string_view WithoutVersion(std::string_view call);

// "Memcpy HtoD (Pinned -> Device)", by the numbers of CUPTI's enumerations; -1: not known.
std::string CopyName(int64_t kind, int64_t from, int64_t to);
std::string SetName(int64_t memory);

// "Stream Sync"; empty for what CUPTI does not name.
std::string_view SyncName(int64_t type);

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

}  // namespace stepscope::nsys
