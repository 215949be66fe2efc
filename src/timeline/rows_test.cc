// Tests rows of events: nested below one another, overlapping on separate rows.
#include "timeline/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"

namespace stepscope::rows_test {
namespace {

using Times = std::vector<std::pair<int64_t, int64_t>>;  // start and end, as they are placed

std::vector<uint32_t> RowsOf(const Times& events) {
  RowAssigner assigner;
  std::vector<uint32_t> rows;
  for (const auto& [start, end] : events) rows.push_back(assigner.Place(start, end));
  return rows;
}

TEST(Rows, WhatFollowsSharesARow) {
  EXPECT_EQ(RowsOf({{0, 10}, {10, 20}, {25, 30}}), (std::vector<uint32_t>{0, 0, 0}));
}

TEST(Rows, WhatNestsLiesBelow) {
  EXPECT_EQ(RowsOf({{0, 100}, {10, 40}, {15, 20}, {50, 60}}), (std::vector<uint32_t>{0, 1, 2, 1}));
}

TEST(Rows, WhatOverlapsHasARowOfItsOwn) {
  EXPECT_EQ(RowsOf({{0, 10}, {5, 15}, {12, 14}, {20, 30}}), (std::vector<uint32_t>{0, 1, 2, 0}));
}

TEST(Rows, EqualEventsLieBelowOneAnother) {
  EXPECT_EQ(RowsOf({{0, 10}, {0, 10}, {0, 10}}), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Rows, MomentsShareARow) {
  EXPECT_EQ(RowsOf({{0, 10}, {5, 5}, {5, 5}, {10, 10}}), (std::vector<uint32_t>{0, 1, 1, 0}));
}

// On no row do two events overlap, and what is around an event lies above it.
void CheckRows(const Times& events) {
  const auto rows = RowsOf(events);
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 1; j < events.size(); ++j) {
      const bool open = events[j].first < events[i].second;
      if (!open) continue;
      EXPECT_NE(rows[i], rows[j]) << i << " and " << j;
      if (events[j].second <= events[i].second) {
        EXPECT_LT(rows[i], rows[j]) << i << " and " << j;
      }
    }
  }
}

TEST(Rows, HoldForAnyEvents) {
  Random random(7, 0);
  for (const int64_t longest : {3, 40, 4000}) {  // few rows, some, and more than are looked at
    Times events;
    for (int i = 0; i < 400; ++i) {
      const int64_t start = random.Below(1000);
      events.emplace_back(start, start + random.Below(longest));
    }
    std::ranges::sort(events, {}, [](const auto& e) { return std::pair(e.first, -e.second); });
    CheckRows(events);
  }
}

TEST(Rows, TheLastTakesWhatFindsNoOther) {
  Times events;
  for (int64_t i = 0; i < 5000; ++i) events.emplace_back(i, 10'000 + i);
  const auto rows = RowsOf(events);
  for (uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(rows[i], std::min(i, kMostRows - 1));
}

}  // namespace
}  // namespace stepscope::rows_test
