// Says where typical steps go on each rank: the categories of a step, with waiting for other ranks
// apart from communication.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

// Parts of a step: its categories, where collectives lack the wait; and the wait: a device is in a
// collective that a rank has not entered yet.
inline constexpr size_t kWaitPart = kStepCategories;
inline constexpr size_t kTimedParts = kStepCategories + 1;

// ns of steps, by part.
struct StepTimes {
  std::array<int64_t, kTimedParts> time{};
  int64_t steps = 0, total = 0;

  void Add(const StepTimes& other);
  int64_t Mean(size_t part) const { return time[part] / std::max<int64_t>(steps, 1); }
  int64_t MeanTotal() const { return total / std::max<int64_t>(steps, 1); }
};

// Of every step of a recording, in the order of RankStepsOf(), where they go.
struct EachStepTimes {
  const RankActivity* rank = nullptr;
  std::vector<StepWindow> windows;
  std::vector<StepTimes> times;  // of one step each
};
const std::vector<EachStepTimes>& EachStepTimesOf(const Facts& facts);

struct RankStepTimes {
  const RankActivity* rank = nullptr;
  StepTimes times;
};

// Of the typical steps of every recording that has any. Where step time changes at a step, `now`
// is of those since then; else of all, and `before` is empty.
struct TypicalTimes {
  std::vector<RankStepTimes> before, now;

  static StepTimes Sum(const std::vector<RankStepTimes>& ranks);
};
const TypicalTimes& TypicalTimesOf(const Facts& facts);

}  // namespace stepscope
