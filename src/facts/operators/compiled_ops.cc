// Counts the kernels of each HLO op.
#include "facts/operators/compiled_ops.h"

#include <tuple>

#include "base/saturate.h"

namespace stepscope {

CompiledOps::Key CompiledOps::KeyOf(const KernelDetail& kernel) {
  return {kernel.hlo_op != kNoString ? kernel.hlo_op : kernel.framework_op, kernel.hlo_module};
}

CompiledOps::CompiledOps(const StringTable& names, const RankActivity& rank) {
  struct Sum {
    int64_t count = 0, time = 0;
  };
  std::map<Key, std::map<StringId, Sum>> ops;
  for (const Activity& activity : rank.activities) {
    const KernelDetail* kernel = rank.KernelOf(activity);
    if (kernel == nullptr || KeyOf(*kernel).first == kNoString) continue;
    Sum& sum = ops[KeyOf(*kernel)][activity.name];
    ++sum.count;
    sum.time = AddSaturated(sum.time, activity.duration());
  }
  for (const auto& [key, kernels] : ops) {
    const auto rank_of = [&](const auto& entry) {
      return std::tuple(entry.second.count, entry.second.time, names[entry.first]);
    };
    const auto* best = &*kernels.begin();
    for (const auto& entry : kernels) {
      if (rank_of(entry) > rank_of(*best)) best = &entry;
    }
    kernels_.emplace(key, best->first);
  }
}

StringId CompiledOps::StandsFor(const Activity& activity, const KernelDetail& kernel) const {
  const auto at = kernels_.find(KeyOf(kernel));
  return at == kernels_.end() ? activity.name : at->second;
}

}  // namespace stepscope
