// Finds the rank whose steps grow all along.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

// A part of one rank's steps that grows: base/growth.h.
struct RankGrowth {
  const RankSteps* rank = nullptr;
  StepCategory category = StepCategory::kOther;
  int64_t each = 0;             // ns, by which each step takes more than the one before
  int64_t first = 0, last = 0;  // ns, of these steps as the line has them
  int64_t steps = 0;
  int64_t more = 0;  // ns, by which all steps together take longer than with the first value

  int64_t Rank() const { return rank->rank->rank; }
};

// Of several ranks the one where what it computes, its input, or the time between operators grows,
// by a tenth of the median step or more, and its steps with it, while it grows on no other by a
// third as much. Steps must follow one another; warm-up does not count.
const std::optional<RankGrowth>& RankGrowthOf(const Facts& facts);

}  // namespace stepscope
