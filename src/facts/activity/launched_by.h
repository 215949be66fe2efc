// Groups activities by the range that launched them.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

struct Launched {
  int32_t root = kNoRange;  // index into HostOps::ranges
  uint32_t activity = 0;    // index into RankActivity::activities
};

// The activities launched within the ranges that `roots` links to, by range, then start.
std::vector<Launched> LaunchedBy(const RankActivity& rank, const RangeLinks& roots);

}  // namespace stepscope
