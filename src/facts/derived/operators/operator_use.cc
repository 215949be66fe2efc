// Counts executions and device time of operators over all ranks.
#include "facts/derived/operators/operator_use.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/operators/operator_trees.h"
#include "facts/operators/operators.h"
#include "trace/kernel_vocabulary.h"

namespace stepscope {
namespace {

class Counter {
 public:
  explicit Counter(const Facts& facts) : facts_(facts), names_(*facts.names) {}

  void Add(const RankActivity& rank) {
    const OperatorTree& tree = OperatorTreeOf(facts_, rank);
    std::vector<bool> launches(tree.size());
    const bool by_launch = AddActivity(rank, tree, launches);
    AddHost(rank, tree, launches, by_launch);
  }

  OperatorUse Finish() {
    use_.device_time.assign(time_.begin(), time_.end());
    std::ranges::sort(use_.device_time, [&](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : names_[a.first] < names_[b.first];
    });
    return std::move(use_);
  }

 private:
  // Work is its operator's by the trace's word, or by who launched it; `launches` marks the latter.
  // Of an operator that the trace names, several kernels may be one execution: its most frequent
  // one counts.
  bool AddActivity(const RankActivity& rank, const OperatorTree& tree,
                   std::vector<bool>& launches) {
    std::map<std::pair<StringId, StringId>, int64_t> by_kernel;
    bool by_launch = false;
    for (const Activity& activity : rank.activities) {
      const StringId named = NamedOperator(names_, rank.KernelOf(activity));
      if (named != kNoString) {
        AddTime(named, activity.duration());
        if (ParseFrameworkOp(names_[named])) ++by_kernel[{named, activity.name}];
        continue;
      }
      const int32_t op = OperatorOf(rank, tree, activity);
      if (op == kNoRange) continue;
      launches[static_cast<size_t>(op)] = by_launch = true;
      AddTime(rank.host->ranges[static_cast<size_t>(op)].name, activity.duration());
    }
    std::map<StringId, int64_t> most;
    for (const auto& [key, count] : by_kernel) {
      int64_t& of_op = most[key.first];
      of_op = std::max(of_op, count);
    }
    for (const auto& [op, count] : most) use_.device += count;
    return by_launch;
  }

  void AddHost(const RankActivity& rank, const OperatorTree& tree,
               const std::vector<bool>& launches, bool by_launch) {
    const HostOps& host = *rank.host;
    const NarrowArray<int64_t>& self = SelfTimesOf(facts_, rank);
    std::vector<bool> calls_others(tree.size());
    StopChecks checks;
    for (size_t r = 0; r < tree.size(); ++r) {
      checks.Turn();
      const int32_t caller = tree.IsOperator(r) ? tree.CallerOf(r) : kNoRange;
      if (caller != kNoRange) calls_others[static_cast<size_t>(caller)] = true;
    }
    for (size_t r = 0; r < tree.size(); ++r) {
      const HostRange& range = host.ranges[r];
      if (!tree.IsOperator(r) || !facts_.Counts(rank, range.start)) continue;
      const RangeDetail* detail = host.DetailOf(range);
      use_.host_time = AddSaturated(use_.host_time, self[r]);
      if (detail != nullptr && detail->eager)
        use_.eager_time = AddSaturated(use_.eager_time, self[r]);
      if (launches[r])
        ++use_.device;
      else if (!by_launch || !calls_others[r])
        ++use_.host;
    }
  }

  void AddTime(StringId op, int64_t time) {
    int64_t& sum = time_[op];
    sum = AddSaturated(sum, time);
  }

  const Facts& facts_;
  const StringTable& names_;
  OperatorUse use_;
  std::unordered_map<StringId, int64_t> time_;
};

}  // namespace

OperatorUse UseOfOperators(const Facts& facts) {
  Counter counter(facts);
  for (const RankActivity& rank : facts.ranks) counter.Add(rank);
  return counter.Finish();
}

}  // namespace stepscope
