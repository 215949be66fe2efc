// Finds host waits for an idle device.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

struct IdleWait {
  uint32_t call = 0;  // index into HostOps::calls
  int64_t time = 0;   // ns of it in which none of the recording's devices had any recorded work
};

// The waits of `at_least` ns and more, by their start: in calls that synchronize or copy, of
// threads that launch kernels themselves (another's waiting keeps no device from work), between the
// first activity and the end of the last. Time in which several threads wait counts for the
// first.
std::vector<IdleWait> FindIdleWaits(const RankActivity& rank, int64_t at_least);

}  // namespace stepscope
