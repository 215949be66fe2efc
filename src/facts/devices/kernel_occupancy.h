// Computes the occupancy of a kernel launch.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// What limits the launches on a device, as far as the recording says.
struct LaunchLimits {
  std::optional<int> capability;  // CUDA's, 90 for 9.0
  int64_t threads = -1;           // that a multiprocessor holds
  int64_t multiprocessors = -1;
  bool without_occupancy = false;  // its profiler writes 0 for all kernels, as AMD's does
};

LaunchLimits LimitsOf(const RankActivity& rank, int64_t device);

// The most that the launch's threads, registers and shared memory allow.
std::optional<double> MostOccupancy(const LaunchConfig& config, const LaunchLimits& limits);

// What was achieved: as the profiler says, or reckoned as it does where its 0 is known to be wrong.
// Nothing where neither can be.
std::optional<double> OccupancyOf(const LaunchConfig& config, const LaunchLimits& limits);

}  // namespace stepscope
