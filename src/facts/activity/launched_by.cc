// Sorts activities by the range around their launch.
#include "facts/activity/launched_by.h"

#include "base/saturate.h"
#include "base/sort_runs.h"

namespace stepscope {

std::vector<Launched> LaunchedBy(const RankActivity& rank, const RangeLinks& roots) {
  std::vector<Launched> launched;
  launched.reserve(rank.activities.size());
  for (uint32_t w = 0; w < rank.activities.size(); ++w) {
    const auto call = rank.CallOf(rank.activities[w]);
    if (!call || call->range == kNoRange) continue;
    const int32_t root = roots[static_cast<size_t>(call->range)];
    if (root != kNoRange) launched.push_back({root, w});
  }
  SortRuns(launched, {}, &Launched::root);
  return launched;
}

LaunchedSequence NextSequence(const RankActivity& rank, std::span<const Launched> launched,
                              size_t& at) {
  LaunchedSequence sequence{.first = launched[at], .kernels = {}};
  for (; at < launched.size() && launched[at].root == sequence.first.root; ++at) {
    const Activity& activity = rank.activities[launched[at].activity];
    sequence.kernels.push_back(activity.name);
    sequence.gpu_time = AddSaturated(sequence.gpu_time, activity.duration());
  }
  return sequence;
}

}  // namespace stepscope
