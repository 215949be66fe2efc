// Words changes of step time: since when, by how much, and which rank's part of a step changed
// then.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

struct StepChanges;
struct WorkRise;

// "in every recorded step (3 to 8)". REQUIRES: first < last.
std::string InEveryStep(const Facts& facts, int64_t first, int64_t last);

// Steps that are exceptional at regular intervals.
struct PeriodOfSteps {
  std::set<int64_t> numbers;
  double usual = 0, high = 0;  // medians of the other steps and of these

  std::string Say() const;  // "every 5th step (4, 9 and 14)"
};

// As FindPeriod() (analyses/period.h), of steps that follow one another. `numbers`: ascending.
std::optional<PeriodOfSteps> FindPeriodOfSteps(std::span<const int64_t> numbers,
                                               std::span<const int64_t> values, double least);

// Adds the table `changes`, where there are any, and a finding where steps take longer since one of
// them. Returns the work that the finding tells of; null: none.
const WorkRise* AddStepChanges(Report& report, const Facts& facts, const StepChanges& changes);

}  // namespace stepscope
