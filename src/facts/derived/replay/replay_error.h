// A replay without changes, and how far one is from what was recorded where delays that nothing
// explains are replaced by usual ones (ExplainedLags).
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct UnchangedReplay {
  std::vector<int64_t> steps;  // ns, of each of JobGraph::steps
  std::vector<int64_t> waits;  // of each of JobGraph::members (WaitsIn)
};

const UnchangedReplay& UnchangedReplayOf(const Facts& facts);

// A step of a rank as it was recorded and as it is replayed, ns: from the end of the step before,
// or of the first from its begin.
struct ReplayedStep {
  int64_t rank = 0, step = 0, measured = 0, replayed = 0;
  double Error() const;  // a share of `measured`; 0 where that is 0
};

struct ReplayError {
  std::vector<ReplayedStep> steps;  // by rank, then step
  double median = 0, worst = 0;     // shares of a step

  // Beyond that, answers are partial.
  bool IsSmall() const { return worst <= 0.1; }
};

const ReplayError& ReplayErrorOf(const Facts& facts);

}  // namespace stepscope
