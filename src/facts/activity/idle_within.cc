// Collects the gaps between all activities of a rank.
#include "facts/activity/idle_within.h"

#include <algorithm>
#include <cstdint>

namespace stepscope {

IntervalSet IdleWithin(const RankActivity& rank, const IntervalSet& windows) {
  IntervalSet idle;
  int64_t until = INT64_MIN;
  for (const Activity& activity : rank.activities) {
    if (activity.start > until) idle.push_back({until, activity.start});
    until = std::max(until, activity.end);
  }
  idle.push_back({until, INT64_MAX});
  return Intersection(windows, idle);
}

}  // namespace stepscope
