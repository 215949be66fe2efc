// Follows activities from launch through their queue.
#include "facts/devices/queues.h"

#include <algorithm>

#include "base/stop.h"

namespace stepscope {

namespace {

// Each operation from its launch to `until(work)`, which can seem to be earlier where the device's
// clock is off.
template <class Until>
StepCurve Follow(const RankActivity& rank, const StreamQueue& queue, const Until& until) {
  StepCurve curve;
  curve.Reserve(queue.launched.size());
  StopChecks checks;
  for (const uint32_t w : queue.launched) {
    checks.Turn();
    const Activity& activity = rank.activities[w];
    curve.Add(activity.launched, std::max(activity.launched, until(activity)));
  }
  return curve;
}

}  // namespace

std::vector<StreamQueue> FollowQueues(const RankActivity& rank) {
  std::vector<StreamQueue> queues(rank.streams.size());
  StopChecks checks;
  for (const Activity& activity : rank.activities) {
    checks.Turn();
    ++queues[activity.stream].operations;
  }
  for (StreamQueue& queue : queues) queue.launched.reserve(static_cast<size_t>(queue.operations));
  for (uint32_t w = 0; w < rank.activities.size(); ++w) {
    checks.Turn();
    const Activity& activity = rank.activities[w];
    if (activity.launched != kNoTime) queues[activity.stream].launched.push_back(w);
  }
  return queues;
}

StepCurve Outstanding(const RankActivity& rank, const StreamQueue& queue) {
  return Follow(rank, queue, [](const Activity& activity) { return activity.end; });
}

StepCurve Waiting(const RankActivity& rank, const StreamQueue& queue) {
  return Follow(rank, queue, [](const Activity& activity) { return activity.start; });
}

}  // namespace stepscope
