// Names the tables of an Nsight Systems report that are read.
#pragma once

#include <array>
#include <string_view>

namespace stepscope::nsys {

inline constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
inline constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
inline constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
inline constexpr std::string_view kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
inline constexpr std::string_view kSyncs = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
inline constexpr std::string_view kEvents = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
inline constexpr std::string_view kRanges = "NVTX_EVENTS";
inline constexpr std::string_view kMetrics = "GPU_METRICS";
inline constexpr auto kOverheads =
    std::to_array<std::string_view>({"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"});
// What occupies a device.
inline constexpr std::array kDeviceTables = {kKernels, kCopies, kSets, kGraphs};

}  // namespace stepscope::nsys
