// Holds a recording that is to be condensed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "stepscope/report.h"

namespace stepscope {

struct RecordingToCondense {
  const RankActivity* rank = nullptr;
  const StringTable* names = nullptr;
  int64_t events = 0, gpu_events = 0;  // of the file
  std::vector<Note> notes;             // about it
};

}  // namespace stepscope
