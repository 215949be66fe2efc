// Chooses the ranks that a first screen shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

inline constexpr double kLeastPart = 0.001;  // of step time, that is worth a line

// The ranks that differ from the others, ns per step; of a comparison, how much more than before.
struct SummaryRanks {
  bool changes = false;
  std::optional<int64_t> since;  // the times are of the steps since this one
  std::vector<Phrase> parts;     // titles: "step time", "compute", ...
  struct Row {
    Phrase title;  // "rank 3", "the other 7, median"
    std::vector<int64_t> times;
  };
  std::vector<Row> rows;  // empty: no rank differs
};

// What the times of its table are: "Per step since step 9", "Change per step".
Phrase SayWhatRanksShow(const SummaryRanks& ranks);
// "1.59 ms"; of a change that is longer, "+1.59 ms".
std::string SayRankTime(const SummaryRanks& ranks, int64_t time);

// The ranks that differ by a twentieth of a step or more in some part, those that differ most
// first, and the median of the others; all where they are few. No rows where none differs.
SummaryRanks ReadRanks(const ReportSet& answer, int64_t step_time);

}  // namespace stepscope
