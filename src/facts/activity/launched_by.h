// Groups activities by the range that launched them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

struct Launched {
  int32_t root = kNoRange;  // index into HostOps::ranges
  uint32_t activity = 0;    // index into RankActivity::activities
};

// The activities launched within the ranges that `roots` links to, by range, then start.
std::vector<Launched> LaunchedBy(const RankActivity& rank, const RangeLinks& roots);

// What one range launched.
struct LaunchedSequence {
  Launched first;
  std::vector<StringId> kernels;  // their names
  int64_t gpu_time = 0;           // ns
};

// What the range of launched[at] launched; moves `at` behind it. REQUIRES: at < launched.size();
// what one range launched stands together.
LaunchedSequence NextSequence(const RankActivity& rank, std::span<const Launched> launched,
                              size_t& at);

}  // namespace stepscope
