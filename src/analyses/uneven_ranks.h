// Tells which ranks have most of the time of a category.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Ranks that spend more on something than the others.
struct UnevenRanks {
  std::vector<int64_t> ranks;  // ascending; empty: all spend about as much
  double share = 0;            // of what all ranks spend
};

// Per step, each of them spends twice as much as any other rank or more; they are half of the ranks
// at most, and have most of the time.
UnevenRanks FindUnevenRanks(const std::vector<RankSteps>& ranks, StepCategory category);

// The ranks whose time counts: where ranks wait for each other, a step is as long as these make it.
// All of them where none spends more, or ranks do not communicate.
std::vector<RankSteps> RanksThatCount(const Facts& facts, const std::vector<RankSteps>& ranks,
                                      const UnevenRanks& uneven);

Phrase SayUnevenRanks(const UnevenRanks& uneven);  // " Ranks 1 and 3 have 83.6% of it."

}  // namespace stepscope
