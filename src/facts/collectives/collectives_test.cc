// Tests which collectives match, and each rank's wait time.
#include "facts/collectives/collectives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <random>

#include "facts/collectives/split.h"
#include "tests/support/sample_collectives.h"

namespace stepscope::collectives_test {
namespace {

CollectiveFacts Derive(const SampleRanks& s) {
  return DeriveCollectives(s.names, s.ranks, s.ranks);
}

int64_t Matched(const CollectiveFacts& facts) {
  return std::ranges::count_if(facts.matches, &CollectiveMatch::Matched);
}

TEST(Collectives, GroupAndNumberMatchWhateverTheOrder) {
  SampleRanks s(2);
  s.Add(0, 0, 100, 1);
  s.Add(0, 200, 300, 2, "allgather");
  s.Add(1, 20, 100, 2, "allgather");  // began recording later, and both clocks are what they are
  s.Add(1, 200, 300, 3);
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 1);
  EXPECT_EQ(facts.ranks[0].matched, 1);
  EXPECT_EQ(facts.ranks[0].unmatched, 1);
  EXPECT_EQ(facts.ranks[1].unmatched, 1);
}

TEST(Collectives, WaitingEndsWhenTheLastArrives) {
  SampleRanks s(3);
  for (int64_t i = 0; i < 3; ++i) {
    s.Add(0, i * 1000, i * 1000 + 100, i);
    s.Add(1, i * 1000 + 60, i * 1000 + 100, i);
    s.Add(2, i * 1000 + 30, i * 1000 + 100, i);
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(facts.ranks[0].wait, 180);
  EXPECT_EQ(facts.ranks[0].transfer, 120);
  EXPECT_EQ(facts.ranks[1].wait, 0);
  EXPECT_EQ(facts.ranks[1].transfer, 120);
  EXPECT_EQ(facts.ranks[2].wait, 90);
  EXPECT_EQ(facts.ranks[1].blame, 270);
  EXPECT_EQ(facts.ranks[1].times_last, 3);
  EXPECT_EQ(facts.ranks[0].times_last, 0);
}

// A synchronizing one aligns the clocks.
TEST(Collectives, ABroadcastIsSplitWhereNobodyLeftEarly) {
  SampleRanks s(2);
  for (int64_t i = 0; i < 6; ++i) {
    s.Add(0, i * 1000, i * 1000 + 100, 2 * i);
    s.Add(1, i * 1000, i * 1000 + 100, 2 * i);
    const int64_t sent = i < 3 ? 90 : 30;  // the sender leaves behind the receiver, or before
    s.Add(0, i * 1000 + 200, i * 1000 + 200 + sent, 2 * i + 1, "broadcast");
    s.Add(1, i * 1000 + 250, i * 1000 + 300, 2 * i + 1, "broadcast");
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 12);
  EXPECT_EQ(facts.ranks[0].wait, 3 * 50);
  EXPECT_EQ(facts.ranks[0].split, 6 + 3);
  EXPECT_EQ(facts.ranks[1].blame, 3 * 50);
}

// The sender leaves at the moment in which the receiver comes: it may not have waited.
TEST(Collectives, ABroadcastThatOneLeavesAsTheOtherComesIsNotSplit) {
  SampleRanks s(2);
  for (int64_t i = 0; i < 6; ++i) {
    s.Add(0, i * 1000, i * 1000 + 100, 2 * i);
    s.Add(1, i * 1000, i * 1000 + 100, 2 * i);
    s.Add(0, i * 1000 + 200, i * 1000 + 250, 2 * i + 1, "broadcast");
    s.Add(1, i * 1000 + 250, i * 1000 + 300, 2 * i + 1, "broadcast");
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(facts.ranks[0].split, 6);
  EXPECT_EQ(facts.ranks[0].wait, 0);
}

TEST(Collectives, GroupsOfOneNameAreToldApartByTheirMembers) {
  SampleRanks s(4);
  for (size_t r = 0; r < 4; ++r) {
    s.Add(r, 0, 100, 7, "allreduce", 10, "1", r < 2 ? "[0, 1]" : "[2, 3]", 2);
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 2);
  ASSERT_EQ(facts.groups.size(), 2u);
  EXPECT_EQ(facts.groups[0].label, "1");
  EXPECT_EQ(facts.groups[1].label, "1 [2, 3]");
}

TEST(Collectives, ANameOfSeveralGroupsWithoutMembersIsNotMatched) {
  SampleRanks s(4);
  for (size_t r = 0; r < 4; ++r) s.Add(r, 0, 100, 7, "allreduce", 10, "1", "", 2);
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 0);
  EXPECT_TRUE(facts.groups[0].ambiguous);
}

// Streams 0 and 1 carry groups without names: rank r has {r's pair of ranks} and {even or odd
// ranks}.
TEST(Collectives, GroupsWithoutNamesAreThoseThatTheRanksList) {
  SampleRanks s(4);
  for (int64_t r = 0; r < 4; ++r) {
    RankActivity& rank = s.ranks[static_cast<size_t>(r)];
    rank.machine = "node";
    rank.streams.push_back({.device = 0, .stream = 21, .device_index = 0});
    rank.group_members = {{0, 1, 2, 3},
                          r < 2 ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{2, 3},
                          r % 2 == 0 ? std::vector<int64_t>{0, 2} : std::vector<int64_t>{1, 3}};
    for (int64_t i = 0; i < 8; ++i) {
      // Pairs end at the same time, and others about 100 us later, where a collective takes 1 ms.
      const int64_t pair = i * 10'000'000 + (r < 2 ? 0 : 100'000);
      const int64_t turn = i * 10'000'000 + 5'000'000 + (r % 2 == 0 ? 0 : 100'000);
      s.AddKernel(static_cast<size_t>(r), pair, pair + 1'000'000, "AllReduce", 0);
      s.AddKernel(static_cast<size_t>(r), turn, turn + 1'000'000, "AllReduce", 1);
    }
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 4 * 8);
  EXPECT_EQ(facts.unconfirmed, 0);
  std::vector<std::string> labels;
  for (const CollectiveGroup& group : facts.groups) labels.push_back(group.label);
  std::ranges::sort(labels);
  EXPECT_EQ(labels, (std::vector<std::string>{"[0, 1]", "[0, 2]", "[1, 3]", "[2, 3]", "unnamed"}));
  const auto pair = std::ranges::find(facts.groups, "[1, 3]", &CollectiveGroup::label);
  EXPECT_EQ(pair->size, 2);
  EXPECT_EQ(pair->present, 2);
  EXPECT_EQ(pair->members, (std::vector<int64_t>{1, 3}));
}

// As where a rank was late to hear of a capture: steps that are alike would fit anywhere.
TEST(Collectives, OfOneMachineWhatWasRecordedAfterwardsIsNotMatched) {
  for (const auto& [one_machine, listed] :
       {std::pair{true, false}, {true, true}, {false, false}, {false, true}}) {
    SampleRanks s(2);
    for (size_t r = 0; r < 2; ++r) {
      if (listed) s.ranks[r].group_members = {{0, 1}};
      s.ranks[r].machine = one_machine || r == 0 ? "node" : "other";
      for (int64_t i = 0; i < 8; ++i) {
        const int64_t at = i * 10'000'000 + static_cast<int64_t>(r) * 3'000'000'000;
        s.AddKernel(r, at, at + 1'000'000, "AllReduce");
      }
    }
    EXPECT_EQ(Matched(Derive(s)), one_machine ? 0 : 8);
  }
}

TEST(Collectives, AGroupOfAllIsNotTakenForItsParts) {
  SampleRanks s(3);
  for (size_t r = 0; r < 3; ++r) {
    s.ranks[r].group_members = {{0, 1, 2}, {0, 1}, {1, 2}};
    for (int64_t i = 0; i < 8; ++i)
      s.AddKernel(r, i * 1'000'000, i * 1'000'000 + 100'000, "AllReduce");
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 8);
  EXPECT_EQ(facts.groups.back().label, "[0, 1, 2]");
  EXPECT_EQ(facts.groups.back().present, 3);
}

TEST(Collectives, WhoDoesSomethingElseIsAMismatch) {
  SampleRanks s(3);
  s.Add(0, 0, 100, 7, "allreduce", 10);
  s.Add(1, 0, 100, 7, "allreduce", 20);
  s.Add(2, 0, 100, 7, "allreduce", 10);
  const CollectiveFacts facts = Derive(s);
  ASSERT_EQ(facts.mismatches.size(), 1u);
  EXPECT_EQ(facts.mismatches[0].rank, 1u);
  EXPECT_EQ(facts.mismatches[0].bytes, 80);
  EXPECT_EQ(facts.matches[0].count, 2u);
  EXPECT_EQ(facts.matches[0].bytes, 40);
  EXPECT_EQ(facts.ranks[1].unmatched, 1);
}

// What most do counts, not what the first one does; of what as many do, the first one's.
TEST(Collectives, TheFirstOneMayBeTheMismatch) {
  SampleRanks s(3);
  s.Add(0, 0, 100, 7, "allreduce", 20);
  s.Add(1, 0, 100, 7, "allreduce", 10);
  s.Add(2, 0, 100, 7, "allreduce", 10);
  s.Add(0, 200, 300, 8, "allreduce", 20);
  s.Add(1, 200, 300, 8, "allreduce", 10);
  const CollectiveFacts facts = Derive(s);
  ASSERT_EQ(facts.mismatches.size(), 2u);
  EXPECT_EQ(facts.mismatches[0].rank, 0u);
  EXPECT_EQ(facts.mismatches[0].bytes, 80);
  EXPECT_EQ(facts.mismatches[1].rank, 1u);
}

TEST(Collectives, CoalescedOnesShareANumberAndKeepTheirOrder) {
  SampleRanks s(2);
  for (size_t r = 0; r < 2; ++r) {
    s.Add(r, 0, 100, 7, "allreduce", 10);
    s.Add(r, 100, 200, 7, "allgather", 20);
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 2);
  EXPECT_TRUE(facts.mismatches.empty());
}

TEST(Collectives, SendsShareNumbersWithNobody) {
  SampleRanks s(2);
  s.Add(0, 0, 10, 7, "send");
  s.Add(0, 20, 30, 7, "allreduce");
  s.Add(1, 0, 10, 7, "recv");
  s.Add(1, 20, 30, 7, "allreduce");
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 1);
  EXPECT_EQ(facts.ranks[0].point_to_point, 1);
  EXPECT_EQ(facts.ranks[0].unmatched, 1);
  EXPECT_TRUE(facts.mismatches.empty());
}

TEST(Collectives, ABroadcastIsMatchedButNobodyIsHeldUp) {
  SampleRanks s(2);
  s.Add(0, 0, 10, 7, "broadcast");
  s.Add(1, 20, 30, 7, "broadcast");
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 1);
  EXPECT_EQ(facts.ranks[0].split, 0);
  EXPECT_EQ(facts.parts[0].wait, kNoTime);
}

TEST(Collectives, WindowsOfARankAreOneRank) {
  SampleRanks s(3);
  s.ranks[1].rank = 0;
  s.ranks[1].window = 1;
  s.ranks[2].rank = 1;
  s.Add(0, 0, 10, 1);
  s.Add(1, 1000, 1010, 9);
  s.Add(2, 0, 10, 1);
  s.Add(2, 1000, 1010, 9);
  const CollectiveFacts facts = Derive(s);
  ASSERT_EQ(facts.ranks.size(), 2u);
  EXPECT_EQ(facts.ranks[0].matched, 2);
  EXPECT_EQ(facts.ranks[1].matched, 2);
}

constexpr const char* kOld = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)";

TEST(Collectives, OldTracesMatchByOrderThoughOneBeganLater) {
  SampleRanks s(2);
  std::mt19937 random(1);
  int64_t now = 0;
  for (int64_t i = 0; i < 30; ++i) {
    now += 100'000 + static_cast<int64_t>(random() % 500'000);
    s.AddKernel(0, now, now + 50'000, kOld);
    if (i >= 4) s.AddKernel(1, now + 3'010'000, now + 3'050'000, kOld);
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(facts.ranks[1].matched, 26);
  EXPECT_EQ(facts.ranks[0].unmatched, 4);
  EXPECT_EQ(facts.ranks[1].clock.offset, 3'000'000);
  EXPECT_EQ(facts.ranks[0].wait, 26 * 10'000);
  EXPECT_EQ(facts.unconfirmed, 0);
}

TEST(Collectives, OldTracesOfTwoGroupsFallApartIntoThem) {
  SampleRanks s(4);
  for (size_t group = 0; group < 2; ++group) {
    std::mt19937 random(static_cast<unsigned>(group + 1));
    int64_t now = 0;
    for (int64_t i = 0; i < 30; ++i) {
      now += 100'000 + static_cast<int64_t>(random() % 500'000);
      for (size_t r = 0; r < 2; ++r) s.AddKernel(group + 2 * r, now, now + 20'000, kOld);
    }
  }
  const CollectiveFacts facts = Derive(s);  // 0 with 2, 1 with 3
  EXPECT_EQ(Matched(facts), 60);
  EXPECT_EQ(facts.ranks[2].clock.reference, 0u);
  EXPECT_EQ(facts.ranks[3].clock.reference, 1u);
}

TEST(Collectives, OldTracesThatFitNowhereStayUnmatched) {
  SampleRanks s(2);
  for (size_t r = 0; r < 2; ++r) {
    std::mt19937 random(static_cast<unsigned>(r + 1));
    int64_t now = 0;
    for (int64_t i = 0; i < 30; ++i) {
      now += 100'000 + static_cast<int64_t>(random() % 500'000);
      s.AddKernel(r, now, now + 20'000, kOld);
    }
  }
  const CollectiveFacts facts = Derive(s);
  EXPECT_EQ(Matched(facts), 0);
  EXPECT_EQ(facts.unconfirmed, 60);
}

// Two of a kind may be the same wherever they end; from three on, their ends must bear it out.
TEST(Collectives, OldTracesOfTwoCollectivesMatchByBeingAlike) {
  for (const int64_t count : {2, 3}) {
    SampleRanks s(2);
    for (int64_t i = 0; i < count; ++i) {
      s.AddKernel(0, i * 1'000'000, i * 1'000'000 + 20'000, kOld);
      s.AddKernel(1, i * 1'500'000, i * 1'500'000 + 20'000, kOld);
    }
    EXPECT_EQ(Matched(Derive(s)), count == 2 ? 2 : 0);
  }
}

// Repeats, strangers and crowds: whatever is odd about them, they cost no more than they are long.
TEST(Collectives, OddOnesCostNoMoreThanTheyAreLong) {
  constexpr int64_t kMany = 100'000;
  const auto cost = [](const SampleRanks& s) {
    const std::clock_t start = std::clock();  // of this process, whatever else runs
    EXPECT_EQ(std::ssize(Derive(s).parts), 2 * kMany);
    return std::clock() - start;
  };
  constexpr std::clock_t kLimit = 20 * CLOCKS_PER_SEC;  // a tenth of a second; squares: minutes
  SampleRanks one_number(2), own_groups(2), one_kernel_each(2), devices(2);
  for (int64_t i = 0; i < kMany; ++i) {
    for (size_t r = 0; r < 2; ++r) {
      one_number.Add(r, i, i + 10, 7);
      own_groups.Add(r, i, i + 10, 1, "allreduce", i, "g", std::to_string(i));
      one_kernel_each.AddKernel(r, i, i + 10, "nccl" + std::to_string(i * (r == 0 ? 1 : -1)));
      if (i > 0) devices.ranks[r].devices.push_back(i);
      const auto device = static_cast<uint32_t>(i);
      if (i > 0) devices.ranks[r].streams.push_back({i, 20, device});
      devices.AddKernel(r, i, i + 10, "nccl", device);
    }
  }
  EXPECT_LT(cost(one_number), kLimit);
  EXPECT_LT(cost(own_groups), kLimit);
  EXPECT_LT(cost(one_kernel_each), kLimit);
  EXPECT_LT(cost(devices), kLimit);
}

// The late rank is lost among clocks that are off by milliseconds; alignment brings it out.
TEST(Collectives, AThousandRanksInSeconds) {
  constexpr int64_t kRanks = 1000, kCollectives = 2000;
  constexpr size_t kLate = 421;
  SampleRanks s(kRanks);
  for (RankActivity& rank : s.ranks) {
    rank.collectives.reserve(kCollectives);
  }
  std::mt19937 random(1);
  std::vector<int64_t> offsets;
  for (int64_t r = 0; r < kRanks; ++r) {
    offsets.push_back(static_cast<int64_t>(random() % 10'000'000) - 5'000'000);
  }
  for (int64_t i = 0; i < kCollectives; ++i) {
    const int64_t end = (i + 1) * 500'000;
    const bool inside = i % 10 != 0;  // a host of 8, or all
    for (size_t r = 0; r < kRanks; ++r) {
      const int64_t late = r == kLate ? 300'000 : static_cast<int64_t>(random() % 60'000);
      s.Add(r, end - 400'000 + late + offsets[r], end + offsets[r], i, "allreduce", 4096,
            inside ? "host" : "all", inside ? "[" + std::to_string(r / 8) + "]" : "[all]");
    }
  }
  const auto start = std::chrono::steady_clock::now();
  CollectiveFacts facts = Derive(s);
  const auto took = std::chrono::steady_clock::now() - start;
  RecordProperty("ms", static_cast<int>(took / std::chrono::milliseconds(1)));
  EXPECT_LT(took, std::chrono::seconds(30));  // a second or two; sanitizers are slow
  const auto blamed = [&] {
    return std::ranges::max(facts.ranks, {}, &RankCollectives::blame).rank;
  };
  EXPECT_EQ(blamed(), static_cast<int64_t>(kLate));
  EXPECT_EQ(facts.ranks[kLate].times_last, kCollectives);
  EXPECT_EQ(facts.ranks[7].clock.offset, offsets[7] - offsets[0]);
  for (RankCollectives& rank : facts.ranks) rank.clock.offset = 0;
  SplitCollectives(facts);
  EXPECT_NE(blamed(), static_cast<int64_t>(kLate));
}

}  // namespace
}  // namespace stepscope::collectives_test
