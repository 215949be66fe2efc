// Spends what the host was late in each step on the gaps of that step.
#include "facts/derived/replay/partial_gaps.h"

#include <algorithm>
#include <map>
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

bool IsGap(const Edge& edge) { return edge.bound == Bound::kNoRecord && edge.activity != kNowhere; }

}  // namespace

void ExplainGaps(const RankActivity& rank, Dependencies& graph) {
  if (!rank.condensed) return;
  std::map<Place, int64_t> late;  // ns that are not spent yet
  for (const CondensedEffort& effort : rank.condensed->efforts) {
    int64_t& left = late[{effort.device, effort.step}];
    left = AddSaturated(left, effort.host_late);
  }
  std::vector<uint32_t> gaps;  // edges
  for (uint32_t m = 1; m < graph.times.size(); ++m) {
    if (IsGap(graph.edges[graph.first_edge[m]])) gaps.push_back(graph.first_edge[m]);
  }
  std::ranges::sort(gaps, [&](uint32_t a, uint32_t b) {
    return std::pair(-graph.edges[a].lag, a) < std::pair(-graph.edges[b].lag, b);
  });
  for (const uint32_t gap : gaps) {
    Edge& edge = graph.edges[gap];
    int64_t& left = late[PlaceOf(rank, rank.activities[edge.activity])];
    // Small gaps between kernels lie at the end of each stretch of work, and add to it.
    if (left < edge.lag - edge.lag / 8) continue;
    left -= std::min(left, edge.lag);
    edge.bound = Bound::kCpu;
  }
}

}  // namespace stepscope
