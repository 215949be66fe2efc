// Spends what the host was late in each step, and its pauses, on the gaps of that step.
#include "facts/derived/replay/partial_gaps.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>
#include <vector>

#include "base/saturate.h"

namespace stepscope {
namespace {

using Place = std::pair<int64_t, int64_t>;  // device, and number of the step

Place PlaceOf(const RankActivity& rank, const Activity& activity) {
  const int64_t step =
      activity.step == kNoStep ? -1 : rank.steps[static_cast<size_t>(activity.step)].number;
  return {rank.streams[activity.stream].device, step};
}

// Before work of a device, that begins later than what it waits for ends.
bool IsGap(const Edge& edge) {
  const bool of_device = edge.reason == Reason::kStream || edge.reason == Reason::kWait ||
                         edge.bound == Bound::kNoRecord;
  return of_device && edge.activity != kNowhere && edge.lag > 0;
}

// Of a device in a step, ns.
struct Unspent {
  int64_t late = 0, pauses = 0;
};

// Takes it from what is left, where that is enough: small gaps between kernels lie at the end of
// each stretch of work, and add to it.
bool Spend(int64_t& left, int64_t lag) {
  if (left < lag - lag / 8) return false;
  left -= std::min(left, lag);
  return true;
}

}  // namespace

void ExplainGaps(const RankActivity& rank, Dependencies& graph) {
  if (!rank.condensed) return;
  std::map<Place, Unspent> unspent;
  for (const CondensedEffort& effort : rank.condensed->efforts) {
    Unspent& of = unspent[{effort.device, effort.step}];
    of.late = AddSaturated(of.late, effort.host_late);
    of.pauses = AddSaturated(of.pauses, effort.pauses);
  }
  std::vector<uint32_t> gaps;  // edges
  for (uint32_t m = 1; m < graph.times.size(); ++m) {
    if (IsGap(graph.edges[graph.first_edge[m]])) gaps.push_back(graph.first_edge[m]);
  }
  std::ranges::sort(gaps, [&](uint32_t a, uint32_t b) {
    return std::pair(-graph.edges[a].lag, a) < std::pair(-graph.edges[b].lag, b);
  });
  const auto of = [&](uint32_t gap) -> Unspent& {
    return unspent[PlaceOf(rank, rank.activities[graph.edges[gap].activity])];
  };
  for (const uint32_t gap : gaps) {
    Edge& edge = graph.edges[gap];
    if (edge.bound == Bound::kNoRecord && Spend(of(gap).late, edge.lag)) edge.bound = Bound::kCpu;
  }
  for (const uint32_t gap : gaps | std::views::reverse) {
    Edge& edge = graph.edges[gap];
    if (edge.bound == Bound::kCpu || !Spend(of(gap).pauses, edge.lag) || edge.lag < kPause)
      continue;
    edge.bound = Bound::kKernelGap;
    edge.reason = Reason::kPauses;
  }
}

}  // namespace stepscope
