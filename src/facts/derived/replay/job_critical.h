// Follows what bounds a job in the times of a replay: back from the end of a step, over the edge
// that decided each moment, and over each instance to the member that came last.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "facts/derived/replay/job_replay.h"

namespace stepscope {

// ns of the path, by index of the rank and by bound.
struct CriticalPathOfJob {
  std::vector<int64_t> ranks;
  std::array<int64_t, static_cast<size_t>(Bound::kCount)> bounds{};

  uint32_t Rank() const {
    return static_cast<uint32_t>(std::ranges::max_element(ranks) - ranks.begin());
  }
  Bound MostBound() const {
    return static_cast<Bound>(std::ranges::max_element(bounds) - bounds.begin());
  }
};

template <class Lags>
class JobPathWalker {
 public:
  JobPathWalker(const JobGraph& graph, const Lags& lags, const JobTimes& times)
      : graph_(graph), lags_(lags), times_(times) {}

  // Calls on_edge(rank, edge or null, ns) for each piece of the path that ends in the moment; null
  // stands for a transfer. Calls on_hop(member that waited, member that came last) where another
  // rank decided. Until the path is at `until`, on the common clock. Linear in the path.
  template <class OnEdge, class OnHop>
  void Walk(uint32_t r, uint32_t m, int64_t until, const OnEdge& on_edge,
            const OnHop& on_hop) const {
    while (m > 0 && TimeOf(r, m) > until) {
      if (const JobMember* end = WaitedEnd(r, m)) {
        const JobMember& last = LastOf(*end);
        const int64_t before = TimeOf(last.rank, last.start);
        on_edge(r, static_cast<const JobEdge*>(nullptr), SubtractSaturated(TimeOf(r, m), before));
        if (last.rank != r) on_hop(*end, last);
        // Recordings that contradict themselves may lead forward in time.
        if (last.rank == r && last.start >= m) return;
        if (before > TimeOf(r, m)) return;
        r = last.rank;
        m = last.start;
        continue;
      }
      const uint32_t e = Deciding(r, m);
      const JobEdge& edge = graph_.ranks[r].graph.edges[e];
      on_edge(r, &edge, SubtractSaturated(times_[r][m], times_[r][edge.from]));
      m = edge.from;
    }
  }

  int64_t TimeOf(uint32_t r, uint32_t m) const {
    return AddSaturated(graph_.ranks[r].origin, times_[r][m]);
  }

 private:
  // The member whose end the moment is, if others may have held it up.
  const JobMember* WaitedEnd(uint32_t r, uint32_t m) const {
    const auto& ends = graph_.ranks[r].ends;
    const auto at = std::ranges::lower_bound(ends, m, {}, &std::pair<uint32_t, uint32_t>::first);
    if (at == ends.end() || at->first != m) return nullptr;
    const JobMember& member = graph_.members[at->second];
    const bool waits = lags_.Waits(graph_.instances[member.instance]) && member.transfer >= 0;
    return waits ? &member : nullptr;
  }

  const JobMember& LastOf(const JobMember& member) const {
    return *std::ranges::max_element(
        graph_.Members(graph_.instances[member.instance]), {},
        [&](const JobMember& other) { return TimeOf(other.rank, other.start); });
  }

  uint32_t Deciding(uint32_t r, uint32_t m) const {
    const RankGraph& graph = graph_.ranks[r].graph;
    uint32_t deciding = graph.first_edge[m];
    int64_t latest = kNoTime;
    for (uint32_t e = graph.first_edge[m]; e < graph.first_edge[m + 1]; ++e) {
      const int64_t time = AddSaturated(times_[r][graph.edges[e].from], lags_.Of(r, e));
      if (time <= latest) continue;
      latest = time;
      deciding = e;
    }
    return deciding;
  }

  const JobGraph& graph_;
  const Lags& lags_;
  const JobTimes& times_;
};

// The path from the begin of graph.steps[first] to the end of the last step.
template <class Lags>
CriticalPathOfJob CriticalPathSince(const JobGraph& graph, const Lags& lags, const JobTimes& times,
                                    size_t first) {
  CriticalPathOfJob path{.ranks = std::vector<int64_t>(graph.ranks.size(), 0)};
  const std::optional<StepEnd> last = LastEndOf(graph, times, graph.steps.size() - 1);
  if (!last) return path;
  const int64_t until =
      first == 0 ? INT64_MIN : LastEndOf(graph, times, first - 1).value_or(StepEnd{}).time;
  const JobPathWalker<Lags> walker(graph, lags, times);
  walker.Walk(
      last->rank, last->moment, until,
      [&](uint32_t r, const JobEdge* edge, int64_t ns) {
        path.ranks[r] = AddSaturated(path.ranks[r], ns);
        const Bound bound = edge == nullptr ? Bound::kCommunication : edge->bound;
        int64_t& sum = path.bounds[static_cast<size_t>(bound)];
        sum = AddSaturated(sum, ns);
      },
      [](const JobMember& /*waited*/, const JobMember& /*last*/) {});
  return path;
}

}  // namespace stepscope
