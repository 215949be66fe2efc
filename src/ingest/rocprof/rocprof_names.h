// Reads the names that rocprofv3 writes, and writes those of copies as PyTorch's profiler does.
#pragma once

#include <string>
#include <string_view>

#include "ingest/rocprof/records.h"

namespace stepscope::rocprof {

// Without what the assembler puts behind names: "f(int)" of "f(int) [clone .kd]", "gemm" of
// "gemm.kd".
std::string_view KernelName(std::string_view name);

// "Memcpy HtoD"; `peers`: from one GPU to another.
std::string_view CopyName(CopyDirection direction, bool peers);
// Of "MEMORY_COPY_HOST_TO_DEVICE".
CopyDirection DirectionOf(std::string_view name);

// Of "HIP_RUNTIME_API", "RCCL_API", "MARKER_CORE_RANGE_API".
CallKind KindOfCategory(std::string_view category);

}  // namespace stepscope::rocprof
