// Words steps of one rank that grow all along, which the others wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/python/frame_times.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// ns, by which steps of this rank grow, or a function on it alone; nothing where none does.
std::optional<int64_t> GrowthPerStep(const Facts& facts, int64_t rank);

// "by 2.00 ms per step".
Phrase SayGrowth(int64_t each);

// Adds a finding about the rank whose steps grow, with the function behind it, if there is one.
void AddGrowingRank(Report& report, const Facts& facts);

// A function whose time per step grows to three times what it was, or more, by a line, while all
// else in these steps grows by less than half.
struct FunctionGrowth {
  FrameTimes::Leader function;
  std::vector<int64_t> ranks;   // on which it does; ascending
  int64_t each = 0;             // ns, of the rank with most
  int64_t first = 0, last = 0;  // ns, of these steps as the line has them
  int64_t steps = 0;
  int64_t more = 0;   // ns, by which all steps together take longer than with the first value
  int64_t whole = 0;  // ns of these steps
};
// The one that grows most. Nothing where a rank's growth is known (RankGrowthOf()), or no frames.
const std::optional<FunctionGrowth>& GrowingFunctionOf(const Facts& facts);

// Adds a finding about it, if there is one.
void AddGrowingFunction(Report& report, const Facts& facts);

}  // namespace stepscope
