// Names the bounds that edges stand for.
#include "facts/paths/dependency_graph.h"

#include <array>

namespace stepscope {

std::string_view BoundName(Bound bound) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"gpu_compute", "gpu_communication", "gpu_memory", "launch_overhead", "kernel_gap", "cpu",
       "data_loading", "one_time", "sync", "no_record"});
  static_assert(kNames.size() == static_cast<size_t>(Bound::kCount));
  return kNames[static_cast<size_t>(bound)];
}

std::string_view NameOf(const Edge& edge, const StringTable& names) {
  if (edge.name != kNoString) return names[edge.name];
  return edge.bound == Bound::kNoRecord ? "(nothing recorded)" : "(between operators)";
}

}  // namespace stepscope
