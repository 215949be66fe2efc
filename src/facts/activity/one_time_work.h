// Finds what the host does once: creating the device's context, loading modules, and setting up and
// tuning convolutions (cuDNN, MIOpen). Graph captures are found with the calls of their thread
// (HostRecords).
#pragma once

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Adds to rank.host->one_time and sorts it. REQUIRES: activities know their calls.
void FindOneTimeWork(RankActivity& rank, const StringTable& names);

}  // namespace stepscope
