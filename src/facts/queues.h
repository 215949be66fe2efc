// How much work waits on each stream, over time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/step_curve.h"
#include "facts/rank_work.h"

namespace stepscope {

// The operations of one stream. Those without a launch in the trace are in no curve.
struct StreamQueue {
  StepCurve outstanding;  // launched and not yet finished
  StepCurve waiting;      // launched and not yet started
  int64_t operations = 0;
  int64_t without_launch = 0;
};

// The queue of each of `rank.streams`.
std::vector<StreamQueue> FollowQueues(const RankWork& rank);

}  // namespace stepscope
