// Gives events of a recording whose host computes the kinds that reports give them.
#pragma once

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "timeline/recording.h"

namespace stepscope {

// Where the host's processors are the device (rank.on_host): operators compute, and collectives and
// the calls that start them communicate. Else nothing. `names`: the shared ones of the recording,
// whose ids are not those of the rank's names.
void TakeKindsOfHost(const RankActivity& rank, const StringTable& names_of_rank,
                     const StringTable& names, RecordedEvents& recording);

}  // namespace stepscope
