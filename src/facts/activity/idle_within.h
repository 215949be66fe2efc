// Finds when the devices of a rank ran nothing.
#pragma once

#include "base/intervals.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// When no device of the rank ran anything, within `windows`.
IntervalSet IdleWithin(const RankActivity& rank, const IntervalSet& windows);

}  // namespace stepscope
