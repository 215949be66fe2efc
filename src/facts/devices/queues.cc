// Follows activities from launch through their queue.
#include "facts/devices/queues.h"

#include <algorithm>

#include "base/sort_runs.h"
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

std::vector<int64_t> WaitingAtChanges(const RankActivity& rank, const StreamQueue& queue) {
  std::vector<int64_t> launches, starts, lengths;
  launches.reserve(queue.launched.size());
  starts.reserve(queue.launched.size());
  lengths.reserve(2 * queue.launched.size());
  for (const uint32_t w : queue.launched) {
    const Activity& activity = rank.activities[w];
    launches.push_back(activity.launched);
    starts.push_back(std::max(activity.launched, activity.start));
  }
  SortRuns(launches);
  SortRuns(starts);
  auto launch = launches.begin();
  int64_t length = 0;
  for (const int64_t start : starts) {
    for (; launch != launches.end() && *launch <= start; ++launch) lengths.push_back(++length);
    lengths.push_back(--length);
  }
  return lengths;
}

}  // namespace stepscope
