// Tells what is recorded before the first complete step.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/derived/steps/step_categories.h"

namespace stepscope {

struct BeforeSteps {
  int64_t recorded = 0;  // ns of the whole recording
  StepBreakdown time;    // until the first complete step; empty where nothing is before it
};

// Of a recording whose steps are marked and all selected; else nothing.
std::optional<BeforeSteps> BeforeStepsOf(const RankSteps& own, const StringTable& names);

}  // namespace stepscope
