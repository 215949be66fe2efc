// Tests sequences that were recorded window by window.
#include "facts/collectives/pieces.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace stepscope::pieces_test {
namespace {

constexpr int64_t kUs = 1000;

// Collectives all alike, at uneven distances of up to 1 ms.
std::vector<OrderedEntry> Ran(size_t count) {
  std::mt19937 random(1);
  std::vector<OrderedEntry> entries;
  int64_t now = 0;
  for (size_t i = 0; i < count; ++i) {
    now += 200 * kUs + static_cast<int64_t>(random() % 800) * kUs;
    entries.push_back({.label = 1, .end = now, .duration = 100 * kUs});
  }
  return entries;
}

// Of these, what each window [first, last) recorded, on a clock that is so far ahead; and which of
// them each is.
struct Recorded {
  std::vector<OrderedEntry> entries;
  std::vector<int64_t> which;
};
Recorded InWindows(const std::vector<OrderedEntry>& ran,
                   const std::vector<std::pair<int64_t, int64_t>>& windows, int64_t ahead = 0) {
  Recorded recorded;
  for (size_t w = 0; w < windows.size(); ++w) {
    for (int64_t i = windows[w].first; i < windows[w].second; ++i) {
      OrderedEntry entry = ran[static_cast<size_t>(i)];
      entry.end += ahead + i % 3 * kUs;
      entry.piece = static_cast<uint32_t>(w);
      recorded.entries.push_back(entry);
      recorded.which.push_back(i);
    }
  }
  return recorded;
}

// How many are paired; each must be with itself.
int64_t Paired(const Recorded& reference, const Recorded& other, bool one_clock) {
  const OrderAlignment found = AlignPieces(reference.entries, other.entries, one_clock);
  EXPECT_TRUE(found.confirmed);
  int64_t paired = 0;
  for (size_t i = 0; i < other.which.size(); ++i) {
    if (found.partner[i] == kUnpaired) continue;
    ++paired;
    EXPECT_EQ(reference.which[static_cast<size_t>(found.partner[i])], other.which[i]);
  }
  return paired;
}

// At each border one of both lacks some that the other has.
TEST(Pieces, WindowsThatBeginAtOtherMomentsArePairedWhereBothRecorded) {
  const auto ran = Ran(100);
  const Recorded a = InWindows(ran, {{0, 30}, {33, 65}, {66, 100}});
  const Recorded b = InWindows(ran, {{5, 27}, {28, 61}, {64, 98}});
  EXPECT_EQ(Paired(a, b, true), 85);
  EXPECT_EQ(Paired(b, a, true), 85);
}

TEST(Pieces, AWindowThatWasLostShiftsNothing) {
  const auto ran = Ran(200);
  const Recorded a = InWindows(ran, {{0, 50}, {50, 100}, {100, 150}, {150, 200}});
  EXPECT_EQ(Paired(a, InWindows(ran, {{0, 48}, {102, 150}, {151, 199}}), true), 144);
  EXPECT_EQ(Paired(a, InWindows(ran, {{151, 199}}), true), 48);
}

TEST(Pieces, OfTwoClocksTheFirstThatFitTellHowFarTheyAreApart) {
  const auto ran = Ran(100);
  const Recorded a = InWindows(ran, {{0, 30}, {33, 65}, {66, 100}});
  const Recorded b = InWindows(ran, {{5, 27}, {28, 61}, {64, 98}}, 3'000'000 * kUs);
  EXPECT_EQ(Paired(a, b, false), 85);
}

// Two of each window say little, but all together have one offset.
TEST(Pieces, WindowsTooShortToTellAreConfirmedTogether) {
  const auto ran = Ran(6);
  const Recorded a = InWindows(ran, {{0, 2}, {2, 4}, {4, 6}});
  EXPECT_EQ(Paired(a, InWindows(ran, {{0, 2}, {2, 4}, {4, 6}}, 3'000'000 * kUs), false), 6);
}

// Two that nothing tells apart: neither is more than a guess.
TEST(Pieces, WhatDoesNotFitIsNotConfirmed) {
  const auto ran = Ran(40);
  auto other = InWindows(ran, {{0, 20}, {20, 40}});
  std::mt19937 random(2);
  for (OrderedEntry& entry : other.entries) entry.end += static_cast<int64_t>(random() % 9'000'000);
  EXPECT_FALSE(AlignPieces(InWindows(ran, {{0, 18}, {21, 40}}).entries, other.entries).confirmed);
}

}  // namespace
}  // namespace stepscope::pieces_test
