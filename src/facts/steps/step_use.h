// Measures device use in each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {

// Means over a recording's devices, ns; both together at most the step.
struct StepUse {
  int64_t idle = 0;     // nothing ran
  int64_t exposed = 0;  // communication ran, and nothing was computed
};

// Of each window; nothing for recordings without devices. Whatever runs within a window counts,
// whichever step launched it, so that what is said adds up to the window.
std::vector<StepUse> UseOfSteps(const RankActivity& rank, std::span<const StepWindow> windows);

}  // namespace stepscope
