// Measures device use in each step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {

// ns of one device, or means over a recording's devices; all together at most the step.
struct StepUse {
  int64_t idle = 0;     // nothing ran
  int64_t exposed = 0;  // communication ran, and nothing was computed
  int64_t compute = 0;  // compute kernels ran
};

// Of each device (RankActivity::devices) in each window. Whatever runs within a window counts,
// whichever step launched it, so that what is said adds up to the window.
std::vector<std::vector<StepUse>> UseOfDevices(const RankActivity& rank,
                                               std::span<const StepWindow> windows);

// The mean over devices of each window; nothing for recordings without devices.
std::vector<StepUse> UseOfSteps(const RankActivity& rank, std::span<const StepWindow> windows);

}  // namespace stepscope
