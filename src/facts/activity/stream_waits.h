// Tells which work waited for work of another stream, as the recording says it.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Indexes into RankActivity::activities: `waiting` could not start before `awaited` had ended.
struct StreamWait {
  uint32_t waiting = 0, awaited = 0;
};

// Whether the record is of such a wait, and those of its recording are all there.
bool IsStreamWait(const SyncRecord& sync, const StringTable& names);

// Whether a rank's waits of one stream for another were recorded: then no other is believed.
bool RecordsStreamWaits(const RankActivity& rank, const StringTable& names);

// All that were recorded. Where none were, those of communication, by the order of launches: a
// library lets it wait for what was launched before it, which produces its input.
std::vector<StreamWait> StreamWaitsOf(const RankActivity& rank, const StringTable& names);

}  // namespace stepscope
