// The rank of an attempt that others may wait for, by the times at which ranks tell steps.
#pragma once

#include <cstdint>

namespace stepscope::goodput {

// A rank that differs from the median of the others in each step: its steps take longer from start
// to end, or it begins them later. Ranks that wait for each other inside a step begin or end it
// together, so one of the two shows who is late; where both are together, the log cannot tell.
struct LateRank {
  int64_t rank = 0;
  int64_t longer = 0;      // ns of each step from start to end, mean; 0: it begins them later
  int64_t later = 0;       // ns after the others begin a step, median
  int64_t step_time = 0;   // ns from one step to the next, mean
  int64_t steps = 0;       // of the attempt
  bool own_clock = false;  // begins later by the clock of its host alone, which may be ahead

  int64_t by() const { return longer > 0 ? longer : later; }
};

}  // namespace stepscope::goodput
