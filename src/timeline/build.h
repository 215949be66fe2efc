// Builds a timeline from the traces of a run.
#pragma once

#include <span>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "stepscope/timeline.h"
#include "timeline/recording.h"

namespace stepscope {

struct TimelineInput {
  // What the names in `ranks` stand for.
  const StringTable* names_of_ranks = nullptr;
  std::span<const RankActivity> ranks;     // by rank, then window
  std::vector<RecordedEvents> recordings;  // of each of `ranks`; of memory alone it has no events
  StringTable names;                       // that the recordings share
};

// Takes clocks, steps and counters from `ranks`. What it is given may go afterwards.
Timeline BuildTimeline(TimelineInput input);

}  // namespace stepscope
