// Words steps of one rank that grow all along, which the others wait for.
#pragma once

#include <cstdint>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

struct RankGrowth;

// The rank whose steps grow, if it is this one; else null.
const RankGrowth* GrowthOf(const Facts& facts, int64_t rank);

// "by 2.00 ms per step".
Phrase SayGrowth(const RankGrowth& growth);

// Adds a finding about the rank whose steps grow, with the function behind it, if there is one.
void AddGrowingRank(Report& report, const Facts& facts);

}  // namespace stepscope
