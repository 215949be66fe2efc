// Finds several ranks of two runs that became slower together, while the others did not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/compare_lead.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// "ranks 0, 2 and 5". REQUIRES: two or more.
Phrase SayRanks(const std::vector<int64_t>& ranks);

// ns of these ranks in each step, their median.
Series MedianOfRanks(const StepSamples& steps, const std::string& key,
                     const std::vector<int64_t>& ranks);

struct RankGroup {
  std::vector<int64_t> ranks;  // two or more, at most half of all; ascending
  int64_t most = 0;            // the one of them that changed most
  const CategoryChange* category = nullptr;
  double change = 0;  // ns per step, of that one
  double beyond = 0;  // of it, what the median of the others did not change by
};

// `ranks`: those in both runs. Nothing where their changes may be noise, or do not differ clearly.
std::optional<RankGroup> FindRankGroup(const std::vector<int64_t>& ranks,
                                       const StepComparison& steps);

// Adds the finding and the lead about them.
void AddRankGroup(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                  const RankGroup& group, Report& report, Leads& leads);

}  // namespace stepscope::comparison
