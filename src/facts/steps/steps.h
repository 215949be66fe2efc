// Selects steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "stepscope/result.h"

namespace stepscope {

struct StepSelection {
  enum class Mode : uint8_t { kAll, kComplete, kRanges };
  Mode mode = Mode::kAll;
  std::vector<std::pair<int64_t, int64_t>> ranges = {};  // both ends included

  bool Has(const Step& step) const {
    if (mode == Mode::kAll) return true;
    if (mode == Mode::kComplete) return step.complete;
    return std::ranges::any_of(ranges, [&](const auto& range) {
      return step.number >= range.first && step.number <= range.second;
    });
  }
};

// Reads "all", "complete", "7", "3..7", or some of these: "3,5..7".
Result<StepSelection> ParseSteps(std::string_view text);

// The activities of `rank` that count: a copy with only the selected steps and their activities.
// With Mode::kAll that is everything, activities outside any step included.
RankActivity SelectSteps(const RankActivity& rank, const StepSelection& selection);

// Where a step lies on the time line: from the end of the step before, or where its annotation
// begins, until its annotation, its last activity and the step before have ended; where PyTorch
// computes on processors, its communication aside. Stretches never
// overlap; a step that another one covers has an empty stretch.
struct StepStretch {
  int64_t start = 0;  // ns
  int64_t end = 0;
  bool has_work = false;
};

// Of each step.
std::vector<StepStretch> StepStretches(const RankActivity& rank);

// How long a step takes: from the start of one to the start of the next, on average, on the rank
// where that is longest. Nothing where no two steps follow one another.
std::optional<int64_t> StepTime(std::span<const RankActivity> ranks);

// The steps there are, for messages: "3..7", "3, 5..6", or "none".
std::string DescribeSteps(std::span<const RankActivity> ranks);

// Which ranks there are, the same way.
std::string DescribeRanks(std::span<const RankActivity> ranks);

}  // namespace stepscope
