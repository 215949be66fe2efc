// Chooses the waits between streams that a partial keeps.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// Work that could not start before work of another stream of its device had ended.
struct KeptWait {
  uint32_t waiting = 0;   // index into RankActivity::activities
  int64_t since = 0;      // ns: when what it waited for had ended, the last one to
  bool of_block = false;  // what it waited for is in a block, and no communication
};

struct KeptWaits {
  std::vector<KeptWait> waits;  // by `waiting`
  bool all = false;             // else those of communication alone

  // Null: none is kept of the activity.
  const KeptWait* Of(uint32_t activity) const;
};

// Those of communication, and for it: other work is not told apart. Where the recording has none,
// or more than a partial has room for, those of communication.
KeptWaits WaitsToKeep(const RankActivity& rank, const StringTable& names);

}  // namespace stepscope
