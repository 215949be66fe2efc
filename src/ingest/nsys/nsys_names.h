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

}  // namespace stepscope::nsys
