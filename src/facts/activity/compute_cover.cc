// Merges activities into intervals with prefix sums for lookup.
#include "facts/activity/compute_cover.h"

#include <algorithm>

namespace stepscope {

std::vector<ComputeCover> ComputeCover::Of(const RankActivity& rank, KindSet kinds) {
  std::vector<ComputeCover> covers(rank.devices.size());
  std::vector<Interval> latest(covers.size());  // empty: none yet
  for (const Activity& activity : rank.activities) {
    if (!kinds.Has(activity.kind) || activity.start == activity.end) continue;
    const uint32_t device = rank.streams[activity.stream].device_index;
    covers[device].Extend(latest[device], {activity.start, activity.end});
  }
  for (size_t d = 0; d < covers.size(); ++d) covers[d].Append(latest[d]);
  return covers;
}

ComputeCover ComputeCover::OfOneTimeWork(const HostOps& host) {
  ComputeCover cover;
  Interval last;
  for (const OneTimeWork& work : host.one_time) cover.Extend(last, {work.start, work.end});
  cover.Append(last);
  return cover;
}

void ComputeCover::Extend(Interval& last, const Interval& next) {
  if (last.end > last.start && next.start <= last.end) {
    last.end = std::max(last.end, next.end);
    return;
  }
  Append(last);
  last = next;
}

void ComputeCover::Append(const Interval& stretch) {
  if (stretch.end <= stretch.start) return;
  before_.Append(before_.empty() ? 0 : before_.back() + lengths_.back());
  starts_.Append(stretch.start);
  lengths_.Append(stretch.end - stretch.start);
}

int64_t ComputeCover::Before(int64_t time) const {
  size_t at = starts_.LowerBound(time);
  if (at == starts_.size() || starts_[at] != time) {
    if (at == 0) return 0;
    --at;
  }
  return before_[at] + std::min(time - starts_[at], lengths_[at]);
}

int64_t ComputeCover::Within(int64_t start, int64_t end) const {
  return end <= start ? 0 : Before(end) - Before(start);
}

}  // namespace stepscope
