// Sums a host's waits for idle devices by call.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Waits of so many ns are long, unless somebody says otherwise; so they are in partials.
inline constexpr int64_t kLongWait = 1'000'000;

// The waits of `at_least` ns and more (facts/devices/idle_waits.h), by the name of the call; the
// operator and the annotation are those around the longest. Of a partial: what it says, of
// kLongWait.
std::vector<CondensedWait> IdleWaitSums(const RankActivity& rank, int64_t at_least);

}  // namespace stepscope
