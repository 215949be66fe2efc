// Tests how a viewer gets from event to event: the next one, the longest between two times, search
// by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stepscope/timeline.h"
#include "tests/support/sample_timeline.h"

namespace stepscope::find_test {
namespace {

TEST(Timeline, NextGoesByStartOverAllRows) {
  SampleTrace trace;
  trace.Range("a", 0, 100);
  trace.Range("b", 10, 20);
  trace.Range("c", 10, 15);
  trace.Range("d", 50, 60);
  trace.Range("e", 100, 200);
  const Timeline timeline = TimelineOf(std::move(trace));
  std::vector<std::string> forward, backward;
  auto event = std::optional(timeline.Event({0, 0}).value());
  TimelineEvent last = *event;
  for (; event; event = timeline.Next(event->ref, 1).value()) {
    forward.emplace_back(event->name);
    last = *event;
  }
  EXPECT_EQ(forward, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  for (event = last; event; event = timeline.Next(event->ref, -1).value()) {
    backward.insert(backward.begin(), std::string(event->name));
  }
  EXPECT_EQ(backward, forward);
}

TEST(Timeline, LongestIsWhatAClickBetweenBoxesMeans) {
  SampleTrace trace;
  trace.Activity("short", 0, 10);
  trace.Activity("long", 10, 40);
  trace.Activity("later", 40, 45);
  const Timeline timeline = TimelineOf(std::move(trace));
  EXPECT_EQ(timeline.Longest(0, 0, 0, 64).value()->name, "long");
  EXPECT_EQ(timeline.Longest(0, 0, 0, 10).value()->name, "short");
  EXPECT_FALSE(timeline.Longest(0, 0, 45, 64).value().has_value());
  EXPECT_FALSE(timeline.Longest(0, 5, 0, 64).value().has_value());
}

TEST(Timeline, FindGoesByTimeOverAllTracks) {
  SampleTrace trace;
  trace.Range("Conv2d", 0, 100);
  trace.Activity("conv_kernel", 50, 60);
  trace.Activity("gemm", 60, 70);
  trace.Activity("CONV_kernel", 80, 90);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto all = timeline.Find("conv", 0, 1, 10).value();
  EXPECT_EQ(all.total, 3u);
  EXPECT_EQ(Names(all.matches), (std::vector<std::string>{"Conv2d", "conv_kernel", "CONV_kernel"}));
  EXPECT_EQ(Names(timeline.Find("conv", 1, 1, 1)->matches),
            (std::vector<std::string>{"conv_kernel"}));
  EXPECT_EQ(Names(timeline.Find("conv", 80, -1, 10)->matches),
            (std::vector<std::string>{"conv_kernel", "Conv2d"}));
  EXPECT_EQ(timeline.Find("nothing", 0, 1, 10)->total, 0u);
  EXPECT_EQ(timeline.Find("nothing", 0, 1, 10)->place, 0u);
  EXPECT_EQ(timeline.Find("conv", 0, 1, 0)->total, 3u);
}

TEST(Timeline, FindSaysWhichOfAllItFound) {
  std::vector<SampleTrace> ranks(2);
  for (SampleTrace& rank : ranks) {
    for (int64_t i = 0; i < 4; ++i) {
      rank.Activity("gemm", i * 100, i * 100 + 10);
      rank.Activity("other", i * 100 + 20, i * 100 + 30);
    }
  }
  const Timeline timeline = TimelineOf(std::move(ranks));
  const auto place = [&](int64_t from, int by) {
    return timeline.Find("gemm", from, by, 1)->place;
  };
  EXPECT_EQ(timeline.Find("gemm", 0, 1, 1)->total, 8u);
  EXPECT_EQ(place(0, 1), 1u);  // both ranks have one at each time
  EXPECT_EQ(place(1, 1), 3u);
  EXPECT_EQ(place(300, 1), 7u);
  EXPECT_EQ(place(301, 1), 0u);  // none
  EXPECT_EQ(place(301, -1), 8u);
  EXPECT_EQ(place(300, -1), 6u);
  EXPECT_EQ(place(0, -1), 0u);
}

TEST(Timeline, FindBackwardsIsFindForwardsReversed) {
  std::vector<SampleTrace> ranks(2);
  for (SampleTrace& rank : ranks) {
    for (int64_t i = 0; i < 3; ++i) rank.Activity("gemm", i * 100, i * 100 + 10);
  }
  const Timeline timeline = TimelineOf(std::move(ranks));
  const auto refs = [](const TimelineMatches& found) {
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (const auto& match : found.matches) out.emplace_back(match.ref.track, match.ref.event);
    return out;
  };
  auto backwards = refs(*timeline.Find("gemm", 1000, -1, 10));
  std::ranges::reverse(backwards);
  EXPECT_EQ(backwards, refs(*timeline.Find("gemm", 0, 1, 10)));
}

}  // namespace
}  // namespace stepscope::find_test
