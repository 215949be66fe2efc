// Knows the spellings of ROCprofiler-SDK.
#include "ingest/rocprof/rocprof_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace stepscope::rocprof {
namespace {

// In the order of CopyDirection.
constexpr auto kDirections = std::to_array<std::string_view>(
    {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
     "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"});
constexpr auto kCopies = std::to_array<std::string_view>(
    {"Memcpy Unknown", "Memcpy HtoH", "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD"});

}  // namespace

std::string_view KernelName(std::string_view name) {
  for (const std::string_view end : {" [clone .kd]", ".kd"}) {
    if (name.ends_with(end) && name.size() > end.size()) name.remove_suffix(end.size());
  }
  return name;
}

std::string_view CopyName(CopyDirection direction, bool peers) {
  return peers ? "Memcpy PtoP" : kCopies[static_cast<size_t>(direction)];
}

CopyDirection DirectionOf(std::string_view name) {
  const auto* at = std::ranges::find(kDirections, name);
  return at == kDirections.end() ? CopyDirection::kNone
                                 : static_cast<CopyDirection>(at - kDirections.begin());
}

CallKind KindOfCategory(std::string_view category) {
  if (category.starts_with("MARKER")) return CallKind::kRange;
  return category.starts_with("RCCL") ? CallKind::kCollective : CallKind::kRuntime;
}

}  // namespace stepscope::rocprof
