// Finds ranks that are paced by their device, and rewires their graphs.
#include "facts/derived/replay/lock_step.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

class LockStep {
 public:
  LockStep(const RankActivity& rank, Dependencies& graph)
      : rank_(rank), graph_(graph), last_end_(rank.streams.size(), kNowhere) {}

  void TakeHostOut() {
    for (uint32_t m = 1; m < graph_.times.size(); ++m) {
      for (uint32_t e = graph_.first_edge[m]; e < graph_.first_edge[m + 1]; ++e) {
        Edge& edge = graph_.edges[e];
        if (edge.OfHost()) edge.lag = 0;
        if (edge.reason == Reason::kLaunch) WaitForDevice(m, edge);
      }
      LetDeviceDecide(m);
      for (const Edge& edge : graph_.EdgesOf(m)) {
        if (edge.reason == Reason::kRunning && edge.activity != kNowhere)
          last_end_[rank_.activities[edge.activity].stream] = m;
      }
    }
  }

 private:
  void WaitForDevice(uint32_t m, Edge& edge) {
    constexpr int64_t kLongest = 30 * kMicrosecond;
    edge.lag = 0;
    uint32_t awaited = kNowhere;
    const uint32_t own = rank_.activities[edge.activity].stream;
    for (uint32_t s = 0; s < last_end_.size(); ++s) {
      if (s == own || last_end_[s] == kNowhere) continue;
      if (awaited == kNowhere || last_end_[s] > awaited) awaited = last_end_[s];
    }
    if (awaited == kNowhere || graph_.times[m] - graph_.times[awaited] > kLongest) return;
    edge.from = awaited;
    edge.reason = Reason::kWait;
    edge.bound = Bound::kKernelGap;
    ++graph_.guessed_waits;
  }

  // The latest of what it waits for on the device had its start follow.
  void LetDeviceDecide(uint32_t m) {
    Edge* latest = nullptr;
    for (uint32_t e = graph_.first_edge[m]; e < graph_.first_edge[m + 1]; ++e) {
      Edge& edge = graph_.edges[e];
      const bool of_device = edge.reason == Reason::kStream || edge.reason == Reason::kWait;
      if (of_device && (latest == nullptr || graph_.times[edge.from] > graph_.times[latest->from]))
        latest = &edge;
    }
    if (latest == nullptr) return;
    latest->lag = graph_.times[m] - graph_.times[latest->from];
    std::swap(*latest, graph_.edges[graph_.first_edge[m]]);
  }

  const RankActivity& rank_;
  Dependencies& graph_;
  std::vector<uint32_t> last_end_;  // of each stream, the moment of its last work
};

}  // namespace

bool InLockStep(const RankActivity& rank) {
  constexpr int64_t kJustBefore = 12 * kMicrosecond;
  int64_t bound = 0, close = 0, all = 0, busy_until = kNoTime;
  for (const Activity& activity : rank.activities) {
    ++all;
    if (activity.launched != kNoTime && activity.start > activity.launched &&
        busy_until > activity.launched) {
      ++bound;
      close += SubtractSaturated(activity.start, activity.launched) < kJustBefore ? 1 : 0;
    }
    busy_until = std::max(busy_until, activity.end);
  }
  return 10 * bound > 8 * all && 10 * close > 9 * bound;
}

void TakeHostOut(const RankActivity& rank, Dependencies& graph) {
  LockStep(rank, graph).TakeHostOut();
}

}  // namespace stepscope
