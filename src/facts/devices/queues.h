// Measures each stream's queue length over time.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/devices/step_curve.h"

namespace stepscope {

// The operations of one stream. Those without a launch in the trace are in no curve.
struct StreamQueue {
  std::vector<uint32_t> launched;  // indices into RankActivity::activities, ascending
  int64_t operations = 0;

  int64_t WithoutLaunch() const { return operations - std::ssize(launched); }
};

// The queue of each of `rank.streams`.
std::vector<StreamQueue> FollowQueues(const RankActivity& rank);

// How many were launched and not yet finished. Large: best asked for one stream at a time.
StepCurve Outstanding(const RankActivity& rank, const StreamQueue& queue);
// How many were launched and not yet started.
StepCurve Waiting(const RankActivity& rank, const StreamQueue& queue);
// The length of the queue of those not started after each launch and each start, as HTA counts it:
// two values per operation. At one time launches come before starts.
std::vector<int64_t> WaitingAtChanges(const RankActivity& rank, const StreamQueue& queue);

}  // namespace stepscope
