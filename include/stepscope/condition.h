// Tests conditions on an answer, for scripts that stop when a number is bad.
//
//   comm_overlap.overlap_ratio<0.5          a metric, or any row of a table, below a half
//   temporal_breakdown.ranks.idle>10ms      a column of one table; 10ms, 1h30m, 5%, 5pp, 1GiB
//   temporal_breakdown.compute:+5%          of a comparison: rose by 5% or more
//   temporal_breakdown.compute:-5%          fell by 5% or more
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct Condition {
  enum class Test : uint8_t { kBelow, kAtMost, kAbove, kAtLeast, kRose, kFell };
  std::string text;  // as it was given
  std::string analysis;
  std::string table;  // empty: the metric of this name, else the first table that has the column
  std::string name;   // of a metric or a column
  Test test = Test::kBelow;
  double limit = 0;  // in `unit`; of kRose and kFell the share, 0.05 for 5%
  // The limit's: ns, ratio, ratio_difference or bytes. kNone: a plain number, which no time is
  // compared with but 0, and no share if it is above 1.
  Unit unit = Unit::kNone;
};

Result<Condition> ParseCondition(std::string_view text);

// Which conditions hold, each as a sentence that says where and how far; none when all is well. On
// a comparison, the first four tests look at its side b. Fails when a condition cannot be judged:
// there is no such analysis, table or number in `answer`, or the analysis is unavailable.
Result<std::vector<std::string>> Matches(const ReportSet& answer,
                                         const std::vector<Condition>& conditions);

}  // namespace stepscope
