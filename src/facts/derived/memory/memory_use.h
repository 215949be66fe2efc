// Follows a device's memory by use over time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "facts/devices/step_curve.h"
#include "facts/facts.h"

namespace stepscope {

inline constexpr size_t kMemoryUses = static_cast<size_t>(MemoryUse::kCount);
using MemoryLevels = std::array<int64_t, kMemoryUses>;  // bytes, by MemoryUse

int64_t SumOf(const MemoryLevels& levels);

struct MemoryUseOverTime {
  MemoryLevels before{};   // when recording began
  MemoryLevels highest{};  // of each use alone
  MemoryLevels at_peak{};  // when the sum of all was highest, for the first time
  MemoryLevels last{};
  int64_t first_time = 0, peak_time = 0;  // ns, of moments that count
  int64_t moments = 0;                    // that count
  // Points where something changed, and one at `first_time`.
  std::array<std::vector<StepCurve::Point>, kMemoryUses> curves;
  std::vector<StepCurve::Point> total;
};

// Everything that happens at one time counts as one moment. When steps are selected, only moments
// within them count, at the levels that all changes before have led to; `rank` may be any recording
// of the timeline's rank.
MemoryUseOverTime FollowMemoryUse(const Facts& facts, const RankActivity& rank,
                                  const MemoryTimeline& timeline);

}  // namespace stepscope
