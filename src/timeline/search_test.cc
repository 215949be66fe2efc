// Tests regular expressions, where matches lie, events by their whole name, and stacks.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "stepscope/timeline.h"
#include "tests/support/sample_timeline.h"

namespace stepscope::search_test {
namespace {

TimelineSearch Pattern(std::string text) { return {.text = std::move(text), .regex = true}; }

TEST(TimelineSearch, ARegularExpressionIsFoundAnywhereInANameInAnyCase) {
  SampleTrace trace;
  trace.Range("aten::mm", 0, 100);
  trace.Activity("Gemm_128x64", 50, 60);
  trace.Activity("gemm_tail", 60, 70);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto names = [&](std::string text) {
    return Names(timeline.Find(Pattern(std::move(text)), 0, 1, 10)->matches);
  };
  EXPECT_EQ(names("gemm_\\d+x"), (std::vector<std::string>{"Gemm_128x64"}));
  EXPECT_EQ(names("^aten::|tail$"), (std::vector<std::string>{"aten::mm", "gemm_tail"}));
  EXPECT_EQ(timeline.Find("gemm_\\d+x", 0, 1, 10)->total, 0u);  // as text
}

TEST(TimelineSearch, WhatIsNoRegularExpressionFailsAndSaysWhy) {
  SampleTrace trace;
  trace.Range("a", 0, 100);
  const Timeline timeline = TimelineOf(std::move(trace));
  for (const char* text : {"(", "a{1001}", "[z-a]", "(?=a)", "((a{100}){100}){100}"}) {
    const auto found = timeline.Find(Pattern(text), 0, 1, 10);
    ASSERT_FALSE(found.has_value()) << text;
    EXPECT_TRUE(found.error().what.starts_with("this is no regular expression: ")) << text;
  }
  EXPECT_FALSE(timeline.Find(Pattern(std::string(1001, 'a')), 0, 1, 10).has_value());
}

// Backtracking would take longer than the universe is old.
TEST(TimelineSearch, NoExpressionTakesMoreThanLinearTime) {
  SampleTrace trace;
  trace.Range(std::string(5000, 'a') + "!", 0, 100);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto before = std::chrono::steady_clock::now();
  for (const char* text : {"(a+)+$", "(a|a)*$", "(.*a){20}$", "(a?){60}a{60}$"}) {
    EXPECT_TRUE(timeline.Find(Pattern(text), 0, 1, 10).has_value()) << text;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST(TimelineSearch, HitsAreStretchesOfBucketsByRowOrByRank) {
  std::vector<SampleTrace> ranks(2);
  for (SampleTrace& rank : ranks) {
    rank.Activity("gemm", 0, 100);
    rank.Activity("other", 100, 200);
    rank.Activity("gemm", 300, 450);
    rank.Activity("gemm", 450, 460);
  }
  const Timeline timeline = TimelineOf(std::move(ranks));
  using Row = std::vector<std::pair<uint32_t, uint32_t>>;
  const auto hits = [&](std::vector<uint32_t> tracks, int64_t from, int64_t to) {
    return timeline
        .Hits({.search = {.text = "gemm"}, .from = from, .to = to, .buckets = 10, .tracks = tracks})
        .value()
        .rows;
  };
  const auto of_row = hits({1}, 0, 1000);
  ASSERT_EQ(of_row.size(), 1u);
  EXPECT_EQ(std::tuple(of_row[0].track, of_row[0].row), std::tuple(1u, 0u));
  EXPECT_EQ(of_row[0].stretches, (Row{{0, 0}, {3, 4}}));
  EXPECT_EQ(hits({0}, 400, 500)[0].stretches, (Row{{0, 5}}));  // what lasts into it, too
  const auto of_ranks = hits({}, 0, 1000);
  ASSERT_EQ(of_ranks.size(), 2u);
  EXPECT_EQ(of_ranks[1].rank_index, 1u);
  EXPECT_EQ(of_ranks[1].stretches, (Row{{0, 0}, {3, 4}}));
  EXPECT_FALSE(timeline.Hits({.to = 10, .buckets = 0}).has_value());
  EXPECT_FALSE(timeline.Hits({.to = 10, .tracks = {99}}).has_value());
}

TEST(TimelineNamed, TheLongestOfAWholeNameWithinATime) {
  SampleTrace trace;
  trace.Activity("gemm", 0, 10);
  trace.Activity("gemm_2", 10, 90);
  trace.Activity("gemm", 100, 130);
  trace.Activity("gemm", 200, 230);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto longest = [&](std::string name, int64_t from, int64_t to) {
    const auto event = timeline.LongestNamed({.name = std::move(name), .from = from, .to = to});
    return event->has_value() ? (*event)->start : -1;
  };
  EXPECT_EQ(longest("gemm", 0, 1000), 100);
  EXPECT_EQ(longest("gemm", 0, 50), 0);
  EXPECT_EQ(longest("gemm", 150, 1000), 200);
  EXPECT_EQ(longest("gemm", 20, 90), -1);
  EXPECT_EQ(longest("gem", 0, 1000), -1);
  EXPECT_EQ(timeline.LongestNamed({.kind = "compute", .from = 0, .to = 1000})->value().start, 10);
  EXPECT_FALSE(timeline.LongestNamed({.kind = "input", .from = 0, .to = 1000})->has_value());
}

TEST(TimelineNamed, AFunctionAsReportsCallIt) {
  SampleTrace trace;
  trace.Range("lib/train.py(40): save", 0, 100);
  trace.Range("lib/train.py(40): save", 200, 500);
  trace.Range("train.py(90): save", 600, 2000);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto longest = [&](std::string name) {
    const auto event = timeline.LongestNamed({.name = std::move(name), .from = 0, .to = 1000});
    return event->has_value() ? (*event)->start : -1;
  };
  EXPECT_EQ(longest("save (train.py:40)"), 200);
  EXPECT_EQ(longest("save (train.py:90)"), 600);
  EXPECT_EQ(longest("save (train.py:41)"), -1);
  EXPECT_EQ(longest("save"), -1);
}

TEST(TimelineNamed, TheNextOccurrenceOfALengthGoesOverAllRanksAndRound) {
  std::vector<SampleTrace> ranks(2);
  for (SampleTrace& rank : ranks) {
    rank.Activity("gemm", 0, 10);
    rank.Activity("gemm", 100, 150);
    rank.Activity("gemm", 200, 212);
  }
  const Timeline timeline = TimelineOf(std::move(ranks));
  std::vector<std::pair<uint32_t, int64_t>> visited;
  EventRef at{0, 0};
  for (int i = 0; i < 5; ++i) {
    const auto next = timeline.NextOccurrence(at, 10, 12).value();
    ASSERT_TRUE(next.has_value());
    visited.emplace_back(next->ref.track, next->start);
    at = next->ref;
  }
  EXPECT_EQ(visited, (std::vector<std::pair<uint32_t, int64_t>>{
                         {1, 0}, {0, 200}, {1, 200}, {0, 0}, {1, 0}}));
  EXPECT_EQ(timeline.NextOccurrence({0, 0}, 50, 50)->value().start, 100);
  EXPECT_FALSE(timeline.NextOccurrence({0, 0}, 13, 49)->has_value());
  EXPECT_FALSE(timeline.NextOccurrence({9, 0}, 0, 9).has_value());
}

// main calls f twice, g within the second f; f again by itself.
Timeline Stacked() {
  SampleTrace trace;
  trace.Range("main", 0, 100);
  trace.Range("f", 10, 30);
  trace.Range("f", 40, 80);
  trace.Range("g", 50, 70);
  trace.Range("f", 200, 205);
  return TimelineOf(std::move(trace));
}

using PathRows = std::vector<std::tuple<std::string, int64_t, int64_t, int64_t>>;

PathRows RowsOf(const Table& table) {
  PathRows rows;
  for (const auto& row : table.rows) {
    rows.emplace_back(std::get<std::string>(row[0]), std::get<int64_t>(row[2]),
                      std::get<int64_t>(row[3]), std::get<int64_t>(row[4]));
  }
  return rows;
}

TEST(TimelineStacks, AFlameGraphOfAThreadInATime) {
  const Timeline timeline = Stacked();
  const auto all = timeline.Select({.from = 0, .to = 1000, .tracks = {0}, .by = "stack"}).value();
  EXPECT_EQ(
      RowsOf(all.tables[0]),
      (PathRows{
          {"main", 1, 100, 40}, {"main;f", 2, 60, 40}, {"main;f;g", 1, 20, 20}, {"f", 1, 5, 5}}));
  const auto part = timeline.Select({.from = 60, .to = 90, .tracks = {0}, .by = "stack"}).value();
  EXPECT_EQ(RowsOf(part.tables[0]),
            (PathRows{{"main", 1, 30, 10}, {"main;f", 1, 20, 10}, {"main;f;g", 1, 10, 10}}));
}

TEST(TimelineStacks, CallersAndCalleesOfAName) {
  const Timeline timeline = Stacked();
  const auto of_f = timeline
                        .Select({.from = 0,
                                 .to = 1000,
                                 .tracks = {0},
                                 .by = "stack",
                                 .focus = timeline.Find("f", 0, 1, 1)->matches[0].ref})
                        .value();
  EXPECT_EQ(RowsOf(of_f.tables[0]), (PathRows{{"f", 3, 65, 5}, {"f;main", 2, 60, 60}}));
  EXPECT_EQ(RowsOf(of_f.tables[1]), (PathRows{{"f", 3, 65, 45}, {"f;g", 1, 20, 20}}));
}

TEST(TimelineStacks, WhatANameCallsOfItselfCountsOnce) {
  SampleTrace trace;
  trace.Range("f", 0, 100);
  trace.Range("f", 10, 50);
  const Timeline timeline = TimelineOf(std::move(trace));
  const auto of_f =
      timeline
          .Select({.from = 0, .to = 1000, .tracks = {0}, .by = "stack", .focus = EventRef{0, 0}})
          .value();
  EXPECT_EQ(RowsOf(of_f.tables[0]), (PathRows{{"f", 1, 100, 100}}));
  EXPECT_EQ(RowsOf(of_f.tables[1]), (PathRows{{"f", 1, 100, 60}, {"f;f", 1, 40, 40}}));
}

}  // namespace
}  // namespace stepscope::search_test
