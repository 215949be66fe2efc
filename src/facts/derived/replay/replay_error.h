// A replay without changes, and how far one is from what was recorded where delays that nothing
// explains are replaced by usual ones (ExplainedLags).
#pragma once

#include <cstdint>
#include <optional>
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
  // Of a step. What is worth asking for saves some hundredths of one; a replay that is this far off
  // lacks dependencies that carry more time than that, and what it lacks saves nothing in it.
  static constexpr double kMost = 0.1;

  std::vector<ReplayedStep> steps;  // by rank, then step
  double median = 0, worst = 0;     // shares of a step

  // Beyond that, answers are partial.
  bool IsSmall() const { return worst <= kMost; }
  // How far it is off in the mean step from number `since` on, absent: in all, as a share of it.
  double MeanSince(std::optional<int64_t> since) const;
  // What the price of a change that is in these steps may be off by, a share of a step: as in the
  // median step, but where one is far off its part of the mean counts.
  double OfPrice(std::optional<int64_t> since) const {
    return IsSmall() ? median : MeanSince(since);
  }
  // Whether changes in these steps have a price: the one criterion of all analyses.
  bool Prices(std::optional<int64_t> since) const { return OfPrice(since) <= kMost; }
};

const ReplayError& ReplayErrorOf(const Facts& facts);

}  // namespace stepscope
