// Walks over the activities of a recording, and sums by stream.
#include "facts/devices/stream_idle.h"

#include <algorithm>
#include <utility>

#include "facts/activity/compute_cover.h"

namespace stepscope {
namespace {

struct Walk {
  CondensedStream sums;
  StreamGaps gaps;
  int32_t step = kNoStep;   // of the previous activity
  int64_t until = kNoTime;  // when all selected activities so far have ended
};

GapCause CauseOfGap(const Activity& activity, int64_t gap, int64_t short_gap) {
  const bool late = activity.launched != kNoTime && activity.launched > activity.free_since;
  if (late) return GapCause::kHostWait;
  return gap < short_gap ? GapCause::kKernelWait : GapCause::kOther;
}

void AddGap(Walk& walk, const ComputeCover& one_time, const Activity& activity, int64_t short_gap) {
  if (activity.free_since == kNoTime || activity.start < activity.free_since) return;
  const int64_t gap = activity.start - activity.free_since;
  const GapCause cause = CauseOfGap(activity, gap, short_gap);
  walk.gaps[static_cast<size_t>(cause)].push_back(gap);
  if (cause == GapCause::kHostWait) {
    walk.sums.host_wait += gap;
    if (gap > 0) walk.sums.one_time += one_time.Within(activity.free_since, activity.start);
  } else if (cause == GapCause::kKernelWait) {
    walk.sums.kernel_wait += gap;
  } else {
    walk.sums.other += gap;
  }
}

void AddWork(Walk& walk, const Activity& activity) {
  ++walk.sums.events;
  walk.step = activity.step;
  const int64_t added = std::max<int64_t>(activity.end - std::max(activity.start, walk.until), 0);
  walk.until = std::max(walk.until, activity.end);
  walk.sums.busy += added;
  if (activity.kind == Kind::kCompute) walk.sums.compute += added;
}

}  // namespace

bool IsCutOff(const RankActivity& rank, int32_t before, int32_t now) {
  if (before == kNoStep || now == kNoStep) return false;
  const auto stretch = [&](int32_t step) { return rank.steps[static_cast<size_t>(step)].stretch; };
  return stretch(before) != stretch(now);
}

IdleOfStreams MeasureStreamIdle(const RankActivity& rank, int64_t short_gap) {
  if (rank.condensed) return {rank.condensed->streams, {}};
  std::vector<Walk> walks(rank.streams.size());
  const ComputeCover one_time = ComputeCover::OfOneTimeWork(*rank.host);
  for (const Activity& activity : rank.activities) {
    Walk& walk = walks[activity.stream];
    if (walk.sums.events > 0 && !IsCutOff(rank, walk.step, activity.step))
      AddGap(walk, one_time, activity, short_gap);
    AddWork(walk, activity);
  }
  IdleOfStreams idle;
  for (size_t s = 0; s < walks.size(); ++s) {
    if (walks[s].sums.events == 0) continue;
    walks[s].sums.device = rank.streams[s].device;
    walks[s].sums.stream = rank.streams[s].stream;
    idle.streams.push_back(walks[s].sums);
    idle.gaps.push_back(std::move(walks[s].gaps));
  }
  return idle;
}

}  // namespace stepscope
