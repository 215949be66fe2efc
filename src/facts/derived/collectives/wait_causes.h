// Finds which rank each wait in a collective is for: the last to arrive, unless that rank could not
// come because it waited for another one in a collective of another group. Ranks that wait in turn
// wait for the first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "facts/facts.h"

namespace stepscope {

// A stretch of a wait, all for one rank.
struct WaitCause {
  uint32_t match = 0;  // index into CollectiveFacts::matches
  uint32_t part = 0;   // index into CollectiveFacts::parts: who waits
  uint32_t rank = 0;   // index into CollectiveFacts::ranks; kNobody: one without a trace
  Interval time;       // on the clock of the part's rank

  int64_t duration() const { return time.end - time.start; }
};

// Of all collectives that were split into wait and transfer, and of those in which ranks wait for
// absent ones (absent_ranks.h); by match, then part. n log n.
const std::vector<WaitCause>& WaitCausesOf(const Facts& facts);

}  // namespace stepscope
