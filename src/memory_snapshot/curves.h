// Follows the requested bytes of a device over time, by category and by place in the code, at a
// bounded number of moments.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"

namespace stepscope::memory {

inline constexpr size_t kMostMoments = 4096;

// At each moment the layers of either kind add up to what was requested then.
struct Curves {
  static constexpr size_t kSites = 8;

  int64_t begin = 0;              // of the first event, microseconds since the epoch
  std::vector<int64_t> times;     // microseconds since `begin`, ascending; empty: not known
  std::vector<int64_t> reserved;  // bytes
  std::array<std::vector<int64_t>, static_cast<size_t>(Category::kCount)> categories;
  // The places that hold most at the peak, of Sites::texts; then all others, and what was allocated
  // before the recording.
  std::vector<StringId> sites;
  std::array<std::vector<int64_t>, kSites + 2> places;
};

// Of each of at most 2048 stretches of equally many events the highest and the lowest moment, so
// that no maximum is lost. Events that a replay found impossible give nothing.
Curves FollowCurves(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay);

}  // namespace stepscope::memory
