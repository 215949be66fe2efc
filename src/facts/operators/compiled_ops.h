// Counts executions of HLO ops, each of which may have several kernels.
//
// Every kernel of an operation carries the operation's counts of FLOPs and bytes: they count once
// for each execution, with the kernel that ran most often for it.
#pragma once

#include <map>
#include <utility>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

class CompiledOps {
 public:
  CompiledOps(const StringTable& names, const RankActivity& rank);

  // The name of the kernel that stands for an execution of this one's operation: of those that ran
  // equally often the one that took longest. Its own name where it names no operation.
  StringId StandsFor(const Activity& activity, const KernelDetail& kernel) const;
  bool StandsForExecution(const Activity& activity, const KernelDetail& kernel) const {
    return StandsFor(activity, kernel) == activity.name;
  }

 private:
  // Operation, of the compiler or else of the framework, and module.
  using Key = std::pair<StringId, StringId>;
  static Key KeyOf(const KernelDetail& kernel);

  std::map<Key, StringId> kernels_;  // the one that stands for each
};

}  // namespace stepscope
