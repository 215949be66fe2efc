// Follows work from its launch through its queue.
#include "facts/devices/queues.h"

#include <algorithm>

#include "base/stop.h"

namespace stepscope {

namespace {

// Each operation from its launch to `until(work)`, which can seem to be earlier where the device's
// clock is off.
template <class Until>
StepCurve Follow(const RankWork& rank, const StreamQueue& queue, const Until& until) {
  StepCurve curve;
  curve.Reserve(queue.launched.size());
  StopChecks checks;
  for (const uint32_t w : queue.launched) {
    checks.Turn();
    const Work& work = rank.work[w];
    curve.Add(work.launched, std::max(work.launched, until(work)));
  }
  return curve;
}

}  // namespace

std::vector<StreamQueue> FollowQueues(const RankWork& rank) {
  std::vector<StreamQueue> queues(rank.streams.size());
  StopChecks checks;
  for (const Work& work : rank.work) {
    checks.Turn();
    ++queues[work.stream].operations;
  }
  for (StreamQueue& queue : queues) queue.launched.reserve(static_cast<size_t>(queue.operations));
  for (uint32_t w = 0; w < rank.work.size(); ++w) {
    checks.Turn();
    const Work& work = rank.work[w];
    if (work.launched != kNoTime) queues[work.stream].launched.push_back(w);
  }
  return queues;
}

StepCurve Outstanding(const RankWork& rank, const StreamQueue& queue) {
  return Follow(rank, queue, [](const Work& work) { return work.end; });
}

StepCurve Waiting(const RankWork& rank, const StreamQueue& queue) {
  return Follow(rank, queue, [](const Work& work) { return work.start; });
}

}  // namespace stepscope
