// Makes the counters above a trace's tracks: queues, copies, memory, hardware counters.
#pragma once

#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "timeline/recording.h"

namespace stepscope {

// On the recording's own clock; by group, in the order to show.
std::vector<RecordedCounter> FollowCounters(const StringTable& names, const RankActivity& rank);

}  // namespace stepscope
