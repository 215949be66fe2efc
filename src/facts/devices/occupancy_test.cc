// Tests the sweep against hand counts and against a slow sweep that looks at every
// nanosecond.
#include "facts/devices/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace stepscope::occupancy_test {
namespace {

struct Piece {
  unsigned bit;
  int64_t start, end;
};

Occupancy Sweep(std::vector<Piece> pieces) {
  std::ranges::stable_sort(pieces, {}, &Piece::start);
  OccupancySweep sweep;
  for (const Piece& p : pieces) sweep.Add(p.bit, p.start, p.end);
  return sweep.Finish();
}

TEST(Occupancy, OfNothingIsNothing) {
  const Occupancy o = Sweep({});
  EXPECT_FALSE(o.any);
  EXPECT_EQ(o.Span(), 0);
  EXPECT_EQ(o.Busy(), 0);
}

TEST(Occupancy, CountsWhatOverlapsOnce) {
  const Occupancy o = Sweep({{kComputeBit, 0, 10}, {kComputeBit, 2, 5}, {kComputeBit, 8, 12}});
  EXPECT_EQ(o.Compute(), 12);
  EXPECT_EQ(o.Busy(), 12);
  EXPECT_EQ(o.Idle(), 0);
}

TEST(Occupancy, SpansFromTheFirstStartToTheLastEnd) {
  const Occupancy o =
      Sweep({{kComputeBit, 100, 200}, {kMemoryBit, 110, 120}, {kComputeBit, 250, 260}});
  EXPECT_EQ(o.first, 100);
  EXPECT_EQ(o.last, 260);
  EXPECT_EQ(o.Span(), 160);
  EXPECT_EQ(o.Idle(), 50);
  EXPECT_EQ(o.Compute(), 110);
  EXPECT_EQ(o.Memory(), 10);
}

TEST(Occupancy, KnowsEveryCombination) {
  //         0         10        20        30        40
  // compute ----------          ----------
  // comm.        ---------------------
  // memory                           ---------------
  const Occupancy o = Sweep({{kComputeBit, 0, 10},
                             {kCommunicationBit, 5, 26},
                             {kComputeBit, 20, 30},
                             {kMemoryBit, 25, 40}});
  EXPECT_EQ(o.time, (std::array<int64_t, kCombinations>{0, 5, 10, 10, 10, 4, 0, 1}));
  EXPECT_EQ(o.Communication(), 21);
  EXPECT_EQ(o.Overlapped(), 11);
  EXPECT_EQ(o.Exposed(), 10);
  EXPECT_EQ(o.Busy(), 40);
}

TEST(Occupancy, WorkOfNoLengthMarksTimeAndTakesNone) {
  const Occupancy o = Sweep({{kComputeBit, 5, 5}, {kCommunicationBit, 9, 9}});
  EXPECT_TRUE(o.any);
  EXPECT_EQ(o.Span(), 4);
  EXPECT_EQ(o.Idle(), 4);
}

TEST(Occupancy, TimesBeforeZeroAreTimes) {
  const Occupancy o = Sweep({{kComputeBit, -20, -10}, {kComputeBit, -5, 5}});
  EXPECT_EQ(o.Span(), 25);
  EXPECT_EQ(o.Compute(), 20);
}

TEST(Occupancy, AgreesWithALookAtEveryNanosecond) {
  std::mt19937 random(1);
  const auto number = [&](int64_t below) { return static_cast<int64_t>(random()) % below; };
  for (int round = 0; round < 200; ++round) {
    std::vector<Piece> pieces;
    std::vector<unsigned> at(120, 0);
    for (int64_t i = number(12) + 1; i > 0; --i) {
      const int64_t start = number(80);
      const Piece p{1u << number(3), start, start + number(30)};
      for (int64_t t = p.start; t < p.end; ++t) at[static_cast<size_t>(t)] |= p.bit;
      pieces.push_back(p);
    }
    const Occupancy o = Sweep(pieces);
    std::array<int64_t, kCombinations> counted{};
    for (int64_t t = o.first; t < o.last; ++t) ++counted[at[static_cast<size_t>(t)]];
    EXPECT_EQ(o.time, counted) << "round " << round;
  }
}

}  // namespace
}  // namespace stepscope::occupancy_test
