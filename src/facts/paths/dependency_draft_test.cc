// Tests that edges come to lie by their moments, whatever order they were told in.
#include "facts/paths/dependency_draft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace stepscope::dependency_draft_test {
namespace {

constexpr PathWindow kWindow = {.start = 0, .end = 1000};

// An edge that is known by `name` among others of its moment.
Edge Named(StringId name) { return {.lag = 0, .reason = Reason::kThread, .name = name}; }

std::vector<StringId> NamesOf(const Dependencies& graph, uint32_t moment) {
  std::vector<StringId> names;
  for (const Edge& edge : graph.EdgesOf(moment)) names.push_back(edge.name);
  std::ranges::sort(names);
  return names;
}

TEST(DependencyDraft, PutsEdgesOfMomentsThatWereAddedOutOfOrderByTime) {
  DependencyDraft draft(kWindow);
  const uint32_t late = draft.AddMoment(20, Order::kHost);
  const uint32_t early = draft.AddMoment(10, Order::kHost);
  draft.AddEdge(early, late, Named(1));
  draft.AddEdge(DependencyDraft::kOrigin, early, Named(2));
  draft.AddEdge(DependencyDraft::kOrigin, late, Named(3));
  const Dependencies graph = draft.Finish();
  EXPECT_EQ(graph.times, (std::vector<int64_t>{0, 10, 20}));
  EXPECT_EQ(NamesOf(graph, 1), (std::vector<StringId>{2}));
  EXPECT_EQ(NamesOf(graph, 2), (std::vector<StringId>{1, 3}));
  EXPECT_EQ(graph.EdgesOf(2).front().from, 1u) << "what came last decides";
}

TEST(DependencyDraft, LeavesOutEdgesBackInTimeAndGivesLonelyMomentsTheWindowsStart) {
  DependencyDraft draft(kWindow);
  const uint32_t first = draft.AddMoment(10, Order::kHost);
  const uint32_t second = draft.AddMoment(20, Order::kHost);
  draft.AddEdge(second, first, Named(1));
  draft.AddEdge(second, second, Named(2));
  const Dependencies graph = draft.Finish();
  for (const uint32_t moment : {1u, 2u}) {
    ASSERT_EQ(graph.EdgesOf(moment).size(), 1u);
    EXPECT_EQ(graph.EdgesOf(moment).front().from, DependencyDraft::kOrigin);
    EXPECT_EQ(graph.EdgesOf(moment).front().reason, Reason::kWindow);
  }
}

TEST(DependencyDraft, GivesEachMomentItsOwnOfManyEdges) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t most) { return static_cast<uint32_t>(random() % most); };
  for (int round = 0; round < 200; ++round) {
    const uint32_t moments = 1 + below(40);
    std::vector<uint32_t> order(moments + 1);  // of each moment of the draft, in time
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), random);
    DependencyDraft draft(kWindow);
    for (uint32_t m = 1; m <= moments; ++m) draft.AddMoment(order[m], Order::kHost);
    std::vector<std::vector<StringId>> expected(moments + 1);
    for (StringId e = 0; e < below(120); ++e) {
      const uint32_t from = below(moments + 1), to = 1 + below(moments);
      draft.AddEdge(from, to, Named(e));
      if (order[from] < order[to]) expected[order[to]].push_back(e);
    }
    const Dependencies graph = draft.Finish();
    for (uint32_t m = 1; m <= moments; ++m) {
      if (expected[m].empty()) expected[m] = {kNoString};  // since the window began
      EXPECT_EQ(NamesOf(graph, m), expected[m]);
    }
  }
}

}  // namespace
}  // namespace stepscope::dependency_draft_test
