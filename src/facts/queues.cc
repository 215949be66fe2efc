// Follows work from its launch through its queue.
#include "facts/queues.h"

#include <algorithm>

#include "base/stop.h"

namespace stepscope {

std::vector<StreamQueue> FollowQueues(const RankWork& rank) {
  std::vector<StreamQueue> queues(rank.streams.size());
  StopChecks checks;
  for (const Work& work : rank.work) {
    checks.Turn();
    StreamQueue& queue = queues[work.stream];
    ++queue.operations;
    if (work.launched == kNoTime) {
      ++queue.without_launch;
      continue;
    }
    // Work can seem to begin before its launch where the device's clock is off.
    queue.outstanding.Add(work.launched, std::max(work.launched, work.end));
    queue.waiting.Add(work.launched, std::max(work.launched, work.start));
  }
  return queues;
}

}  // namespace stepscope
