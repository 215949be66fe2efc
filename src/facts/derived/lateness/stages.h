// Finds the pipeline stage that the others wait for.
//
// Sends and receives tie ranks to one another, and who is ahead waits in them. So the rank with the
// most time of its own, which is its span without exposed communication, sets the pace of all.
// Clocks are not compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/lateness/lateness.h"
#include "facts/facts.h"

namespace stepscope {

// Whether at least half of the time in communication is in sends and receives, and several ranks
// have some.
bool TiedByMessages(const Facts& facts);

struct SlowStage {
  uint32_t rank = 0;  // index into CollectiveFacts::ranks
  int64_t lost = 0;   // ns that each other rank waits for it: its own time beyond the median of the
                      // others, as far as they have exposed communication
};
// The rank with the most time of its own. `efforts`, `beyond`: of all ranks, at least two.
SlowStage FindSlowStage(const std::vector<RankEffort>& efforts,
                        const std::vector<RankEffort>& beyond);

}  // namespace stepscope
