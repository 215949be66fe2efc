// Measures a device's utilization from the profiler's data of each launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "facts/activity/rank_activity.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {

// Definitions of PyTorch's TensorBoard plugin. `span` reaches from the start of the first window to
// the end of the last.
struct DeviceUse {
  int64_t span = 0;     // ns
  int64_t kernels = 0;  // ns of the span in which at least one kernel ran
  // Of the span: the sum over time of the blocks per multiprocessor of what runs, at most 1.
  std::optional<double> sm_efficiency;
  // Mean of kernels' achieved occupancy (see facts/devices/kernel_occupancy.h), weighted by their
  // time.
  std::optional<double> occupancy;
};

// `activities`: those of the device, of RankActivity::ActivitiesByDevice().
DeviceUse UseOfDevice(const RankActivity& rank, uint32_t device_index,
                      std::span<const uint32_t> activities, std::span<const StepBreakdown> steps);

}  // namespace stepscope
