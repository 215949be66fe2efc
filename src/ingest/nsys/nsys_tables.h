// Names the tables of an Nsight Systems report that are read, and reads single values of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/sqlite/database_file.h"

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
inline constexpr std::string_view kExport = "META_DATA_EXPORT";
inline constexpr auto kOverheads =
    std::to_array<std::string_view>({"PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"});
// What occupies a device.
inline constexpr std::array kDeviceTables = {kKernels, kCopies, kSets, kGraphs};

// The first value of that name in a table of names and values; empty: there is none.
std::string ValueIn(const DatabaseFile& file, std::string_view table, std::string_view name);

// A count as kernels and devices have it; -1: unknown, negative or too large.
int32_t Small(std::optional<int64_t> value);

}  // namespace stepscope::nsys
