// Puts the work of a device into blocks that take up the same time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "condense/waits.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Computing, or copying, for one step.
struct WorkBlock {
  int64_t start = 0, end = 0;  // ns
  int32_t step = kNoStep;      // index into RankActivity::steps
  Kind kind = Kind::kCompute;  // or kMemcpy, which stands for sets too
  // ns: when the communication had ended that its first work waited for; kNoTime: for none.
  int64_t waited_for = kNoTime;
};

struct DeviceBlocks {
  std::vector<WorkBlock> blocks;  // by start
  // So much ran while something communicated that not all lies where it was.
  bool coarse = false;
};

// Of each step and of all together, blocks and communication occupy the device as long as
// its work did, in every combination of computing, copying and communication, and begin and end
// when it did. While something communicates, they lie where the work was, but for `coarse`, and
// stretches in which nothing ran for more than a 64th of a step stay where they were; else where
// between two moments of communication a block lies, says nothing. One ends where work does that
// communication waited for, and one begins with work that waited for communication. `activities`:
// those of the device, as ascending indexes into rank.activities; `waits`: of all.
DeviceBlocks BlocksOf(const RankActivity& rank, std::span<const uint32_t> activities,
                      const KeptWaits& waits);

}  // namespace stepscope
