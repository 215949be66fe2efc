// Adds the finding of the critical path.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "facts/facts.h"
#include "facts/paths/rank_paths.h"
#include "stepscope/report.h"

namespace stepscope::critical_path {

// What one name contributes to a path.
struct Contribution {
  int64_t count = 0, time = 0;
};
using Contributions = std::map<std::pair<Bound, std::string_view>, Contribution>;

// "step 7 of rank 0".
Phrase SayWhere(const RankPath& path);

// What a sentence calls a bound: "data loading", where tables have its name, "data_loading".
std::string_view WordsOf(Bound bound);

// What would be saved without the bound of the host or of communication that has the most of all
// ranks' paths, where that is worth saying. `sums` are those of the first rank.
void AddFinding(Report& report, const Facts& facts, const MeasuredPaths& measured,
                const Contributions& sums);

}  // namespace stepscope::critical_path
