// Tests that known clock offsets are found, chained over groups, and within the clock uncertainty.
#include "facts/collectives/clocks.h"

#include <gtest/gtest.h>

#include <random>

#include "base/time_units.h"
#include "facts/collectives/collectives.h"
#include "tests/support/sample_collectives.h"

namespace stepscope::clocks_test {
namespace {

constexpr int64_t kUs = kMicrosecond, kMs = kMillisecond;

std::vector<Clock> ClocksOf(const SampleRanks& sample) {
  return AlignClocks(MatchCollectives(sample.names, sample.ranks));
}

TEST(Clocks, AreTheMedianDifferenceOfCommonEnds) {
  SampleRanks s(3);
  const int64_t offsets[] = {0, 5 * kMs, -3 * kMs};
  for (int64_t i = 0; i < 11; ++i) {
    for (size_t r = 0; r < 3; ++r) {
      const int64_t jitter = r == 1 ? (i % 3 - 1) * kUs : 0;  // -1, 0 or 1 us, about even
      const int64_t end = (i + 1) * kMs + offsets[r] + jitter;
      s.Add(r, end - 100 * kUs * static_cast<int64_t>(r + 1), end, i);
    }
  }
  const auto clocks = ClocksOf(s);
  EXPECT_TRUE(clocks[0].known);
  EXPECT_EQ(clocks[0].offset, 0);
  EXPECT_EQ(clocks[1].offset, 5 * kMs);
  EXPECT_EQ(clocks[1].error, 1483);  // 1.4826 x the median deviation of 1 us, rounded up
  EXPECT_EQ(clocks[2].offset, -3 * kMs);
  EXPECT_EQ(clocks[2].error, 0);
  EXPECT_EQ(clocks[2].Aligned(7 * kMs), 10 * kMs);
}

TEST(Clocks, OneWildEndMovesNothing) {
  SampleRanks s(2);
  for (int64_t i = 0; i < 9; ++i) {
    s.Add(0, i * kMs, i * kMs + 100, i);
    s.Add(1, i * kMs, i * kMs + 100 + (i == 4 ? 50 * kMs : 2 * kMs), i);
  }
  EXPECT_EQ(ClocksOf(s)[1].offset, 2 * kMs);
}

TEST(Clocks, GroupsChain) {
  // 0 with 1, 1 with 2: nothing joins 0 and 2 directly, and nothing at all joins 3.
  SampleRanks s(4);
  for (int64_t i = 0; i < 5; ++i) {
    s.Add(0, i * kMs, i * kMs + 100, i, "allreduce", 10, "a", "[0, 1]");
    s.Add(1, i * kMs + 1000, i * kMs + 1100, i, "allreduce", 10, "a", "[0, 1]");
    s.Add(1, i * kMs + 3000, i * kMs + 3100, i, "allreduce", 10, "b", "[1, 2]");
    s.Add(2, i * kMs + 8000, i * kMs + 8100, i, "allreduce", 10, "b", "[1, 2]");
    s.Add(3, i * kMs, i * kMs + 100, i, "allreduce", 10, "c", "[3, 4]");
  }
  const auto clocks = ClocksOf(s);
  EXPECT_EQ(clocks[1].offset, 1000);
  EXPECT_EQ(clocks[2].offset, 6000);
  EXPECT_EQ(clocks[2].reference, 0u);
  EXPECT_FALSE(clocks[3].known);
}

TEST(Clocks, TheBetterOfTwoWaysIsTaken) {
  // The groups disagree about rank 1: in one the ends scatter.
  SampleRanks s(2);
  std::mt19937 random(1);
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t scatter = static_cast<int64_t>(random() % 1000) * kUs;
    s.Add(0, i * 10 * kMs, i * 10 * kMs + 100, i, "allreduce", 10, "noisy");
    s.Add(1, i * 10 * kMs, i * 10 * kMs + 100 + scatter, i, "allreduce", 10, "noisy");
    s.Add(0, i * 10 * kMs + kMs, i * 10 * kMs + kMs + 100, i, "allreduce", 10, "calm");
    s.Add(1, i * 10 * kMs + kMs, i * 10 * kMs + kMs + 107, i, "allreduce", 10, "calm");
  }
  const auto clocks = ClocksOf(s);
  EXPECT_EQ(clocks[1].offset, 7);
  EXPECT_EQ(clocks[1].error, 0);
}

TEST(Clocks, FewEndsMeanAnErrorOfADuration) {
  SampleRanks s(2);
  s.Add(0, 0, 500, 1);
  s.Add(1, 1000, 1300, 1);
  const auto clocks = ClocksOf(s);
  EXPECT_EQ(clocks[1].offset, 800);
  EXPECT_EQ(clocks[1].error, 300);
}

TEST(Clocks, DriftIsFollowedOverLongRecordings) {
  SampleRanks s(2);
  constexpr double kDrift = 2e-5;
  const auto fast = [](int64_t time) {
    return time + 4 * kMs + static_cast<int64_t>(kDrift * static_cast<double>(time));
  };
  for (int64_t i = 0; i < 100; ++i) {
    const int64_t end = i * kSecond + kMs;
    s.Add(0, end - 1000, end, i);
    s.Add(1, fast(end) - 1000, fast(end), i);
  }
  const auto clocks = ClocksOf(s);
  EXPECT_NEAR(clocks[1].drift, kDrift, 1e-9);
  EXPECT_LT(clocks[1].error, 10);
  for (const int64_t time : {kMs, 40 * kSecond, 99 * kSecond}) {
    EXPECT_NEAR(static_cast<double>(clocks[1].Aligned(fast(time))), static_cast<double>(time), 50);
  }
}

TEST(Clocks, BroadcastsAndSendsSayNothing) {
  for (const char* operation : {"broadcast", "send", "reduce", "something new"}) {
    SampleRanks s(2);
    for (int64_t i = 0; i < 5; ++i) {
      s.Add(0, i * kMs, i * kMs + 100, i, operation);
      s.Add(1, i * kMs + 50, i * kMs + 700, i, operation);
    }
    EXPECT_FALSE(ClocksOf(s)[1].known) << operation;
  }
}

// Ends of two ranks that are `offset` and up to 20 ms apart, as of threads that communicate.
SampleRanks OfOneMachine(int64_t offset) {
  SampleRanks s(2);
  for (RankActivity& rank : s.ranks) rank.machine = "node1";
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t end = (i + 1) * 100 * kMs;
    s.Add(0, end - kMs, end, i);
    s.Add(1, end + offset, end + offset + 5 * kMs * i + 30 * kUs, i);
  }
  return s;
}

TEST(Clocks, RanksOfOneMachineHaveOne) {
  const auto clocks = ClocksOf(OfOneMachine(0));
  EXPECT_TRUE(clocks[1].known);
  EXPECT_EQ(clocks[1].offset, 0);
  EXPECT_EQ(clocks[1].error, 30 * kUs) << "the closest ends";
}

TEST(Clocks, MachinesWithOneNameMayBeSeveral) {
  EXPECT_EQ(ClocksOf(OfOneMachine(kSecond))[1].offset, kSecond + 10 * kMs + 30 * kUs);
}

TEST(Clocks, RanksOfOneMachineNeedNoCollectives) {
  SampleRanks s(3);
  for (RankActivity& rank : s.ranks) rank.machine = "node1";
  s.ranks[1].machine = "node2";
  for (size_t r = 0; r < 3; ++r) s.Add(r, 0, kMs, -1, "send");
  const auto clocks = ClocksOf(s);
  EXPECT_TRUE(clocks[2].known);
  EXPECT_EQ(clocks[2].error, 0);
  EXPECT_FALSE(clocks[1].known);
}

TEST(Clocks, TimesAtTheEndsOfTheRangeStayInIt) {
  constexpr int64_t kFar = int64_t{1} << 61;
  SampleRanks s(3);
  for (int64_t i = 0; i < 4; ++i) {
    s.Add(0, -kFar, -kFar + i, i);
    s.Add(1, kFar - 10, kFar - i, i);
    s.Add(2, i, i + 5, i);
  }
  CollectiveFacts facts = DeriveCollectives(s.names, s.ranks, s.ranks);
  for (const CollectivePart& part : facts.parts) {
    EXPECT_GE(part.wait, 0);
    EXPECT_LE(part.wait, part.duration());
  }
}

// Two ranks with `count` common ends over `span`, of which one clock gains so much.
Clock Drifting(int64_t count, int64_t span, double drift) {
  SampleRanks s(2);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t end = kMs + span * i / (count - 1);
    const auto gained = static_cast<int64_t>(drift * static_cast<double>(end - kMs));
    s.Add(0, end - kMs, end, i);
    s.Add(1, end - kMs + gained, end + gained, i);
  }
  return ClocksOf(s)[1];
}

TEST(Clocks, DriftTakesTwentyEndsOverMoreThanTenSeconds) {
  EXPECT_NEAR(Drifting(20, 10 * kSecond + 1, 1e-4).drift, 1e-4, 1e-9);
  EXPECT_EQ(Drifting(20, 10 * kSecond, 1e-4).drift, 0);
  EXPECT_EQ(Drifting(19, 20 * kSecond, 1e-4).drift, 0);
  EXPECT_NEAR(Drifting(20, 20 * kSecond, -9e-4).drift, -9e-4, 1e-9);
  EXPECT_EQ(Drifting(20, 20 * kSecond, 2e-3).drift, 0) << "no clock is so far out";
  // Without it, the offset is the median: of what the clock gained in 10 of 19 steps.
  EXPECT_EQ(Drifting(20, 9'500 * kMs, 1e-4).offset, 500 * kUs);
}

// One of them may be off by the shorter duration.
TEST(Clocks, TwoEndsShowHowTheyScatter) {
  for (const int64_t count : {1, 2, 3}) {
    SampleRanks s(2);
    for (int64_t i = 0; i < count; ++i) {
      s.Add(0, i * kMs, i * kMs + 500, i);
      s.Add(1, i * kMs + 100, i * kMs + 500 + 100 * i, i);  // 400, 500, 600 long
    }
    const auto clocks = ClocksOf(s);
    EXPECT_EQ(clocks[1].offset, count == 1 ? 0 : 100);
    EXPECT_EQ(clocks[1].error, count == 1 ? 400 : 149);
  }
}

}  // namespace
}  // namespace stepscope::clocks_test
