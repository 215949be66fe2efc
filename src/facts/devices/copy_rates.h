// Measures the bandwidth of memcpy and memset over time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/devices/step_curve.h"

namespace stepscope {

inline constexpr size_t kCopyPaths = 6;  // as many as CopyPath has

// All copies of one kind on one device.
struct CopyRates {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t without_size = 0;
  StepCurve rate;     // bytes per second of all that run at once, as far as it is known
  StepCurve running;  // copies at once
};

// By CopyPath.
using CopyRatesByPath = std::array<CopyRates, kCopyPaths>;

// The copies of each of `rank.devices`. A copy's rate is the profiler's, or bytes / duration where
// it gives none.
std::vector<CopyRatesByPath> FollowCopies(const RankActivity& rank);

}  // namespace stepscope
