// Tests the judgement on jobs that are played (tests/support/played_hang.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "hang/hang_report.h"
#include "hang/wait_groups.h"
#include "report/columns.h"
#include "tests/support/played_hang.h"

namespace stepscope::hang::testing::hang_test {
namespace {

constexpr unsigned kSeeds = 6;

TEST(Hang, FindsTheHostThatDidNotArrive) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case one(seed, seed % 2 == 0 ? 1 : 5);
    one.job.host_stops[one.rank] = PlaceOf(one.job, one.rank, one.step, "all_to_all");
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
    EXPECT_TRUE(answer.Proven() && answer.Are(Reason::kHostNotArrived)) << seed;
  }
}

TEST(Hang, FindsTheDeviceThatDidNotFinish) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case one(seed, seed % 2 == 0 ? 1 : 5);
    one.job.device_stops[one.rank] = PlaceOf(one.job, one.rank, one.step, "all_reduce");
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
    EXPECT_TRUE(answer.Proven() && answer.Are(Reason::kDeviceNotFinished)) << seed;
  }
}

TEST(Hang, ClaimsNoCircleOfRanksThatMayHaveFinished) {
  Case one(0, 1);
  one.job.says_status = false;  // nothing tells how far the others of its group came
  one.job.device_stops[one.rank] = PlaceOf(one.job, one.rank, one.step, "all_reduce");
  const Answer answer = one.Ask();
  EXPECT_FALSE(answer.Proven());
  const auto roots = answer.Roots();
  EXPECT_NE(std::ranges::find(roots, one.rank), roots.end());
}

TEST(Hang, FindsTheRankThatCallsSomethingElse) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (const Reason reason :
         {Reason::kOperationMismatch, Reason::kShapeMismatch, Reason::kTypeMismatch}) {
      Case one(seed, seed % 2 == 0 ? 1 : 3);
      Operation& operation = one.At("all_reduce");
      if (reason == Reason::kOperationMismatch) operation.name = "broadcast";
      if (reason == Reason::kShapeMismatch) operation.size = 16;
      if (reason == Reason::kTypeMismatch) operation.type = "Half";
      const Answer answer = one.Ask();
      EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
      EXPECT_TRUE(answer.Proven() && answer.Are(reason)) << seed;
    }
  }
}

TEST(Hang, FindsTheRankThatCallsInAnotherOrder) {
  Case one(1, 6);
  const size_t at = PlaceOf(one.job, 5, 1, "all_reduce");
  auto& program = one.job.programs[5];
  std::swap(program[at].name, program[at + 2].name);
  const Answer answer = one.Ask();
  EXPECT_EQ(answer.Roots(), std::vector<int64_t>{5});
  EXPECT_TRUE(answer.Are(Reason::kOrderMismatch));
}

TEST(Hang, CannotTellWhichOfTwoIsWrong) {
  Case one(0, 1);
  one.At("_reduce_scatter_base").size = 16;
  const Answer answer = one.Ask();
  EXPECT_EQ(answer.Roots().size(), 2U);
  EXPECT_FALSE(answer.Proven());
  EXPECT_TRUE(answer.Are(Reason::kShapeMismatch));
  const Report report = HangReport(answer.job, answer.judgement);
  EXPECT_TRUE(report.headline.contains("is not known")) << report.headline;
}

TEST(Hang, FindsCirclesOfMessages) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case one(seed, 1);
    const int first = one.rank % (kWorld / 2), second = first + kWorld / 2;
    auto& program = one.job.programs[static_cast<size_t>(first)];
    program.insert(
        program.begin() +
            static_cast<std::ptrdiff_t>(PlaceOf(one.job, first, one.step, "all_reduce")),
        {.group = GroupOf(one.job, "pp", first), .name = "recv", .from = second, .to = first});
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), (std::vector<int64_t>{first, second})) << seed;
    EXPECT_TRUE(answer.Proven() && answer.Are(Reason::kMessageCycle)) << seed;
  }
}

TEST(Hang, TakesAMissingDumpAsEvidence) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case one(seed, 1);
    one.job.host_stops[one.rank] = PlaceOf(one.job, one.rank, one.step, "all_to_all");
    one.job.lost = {one.rank};
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
    EXPECT_TRUE(answer.Proven() && answer.Are(Reason::kDumpMissing)) << seed;
  }
}

TEST(Hang, BlamesNoMissingDumpWhereAnotherRankIsProven) {
  Case one(0, 1);
  one.job.host_stops[3] = PlaceOf(one.job, 3, 1, "all_to_all");
  one.job.lost = {1};
  const Answer answer = one.Ask();
  EXPECT_EQ(answer.Roots(), std::vector<int64_t>{3});
  EXPECT_TRUE(answer.Are(Reason::kHostNotArrived));
}

TEST(Hang, FindsTwoFaults) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Case one(seed, 1);
    const int first = RankAt(one.rank % 2, 0, 1), second = RankAt(one.rank % 2, 1, 3);
    for (const int rank : {first, second})
      one.job.host_stops[rank] = PlaceOf(one.job, rank, one.step, "all_reduce");
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), (std::vector<int64_t>{first, second})) << seed;
    EXPECT_TRUE(answer.Proven()) << seed;
  }
}

// The second one cannot wait for anybody: the members of its other groups came as far as those that
// wait for it.
TEST(Hang, FindsTwoFaultsOfWhichOneLeftNoDump) {
  for (unsigned seed = 0; seed < kSeeds; seed += 2) {
    Case one(seed, 1);
    const int first = RankAt(one.rank % 2, 0, 1), second = RankAt(one.rank % 2, 1, 3);
    for (const int rank : {first, second})
      one.job.host_stops[rank] = PlaceOf(one.job, rank, one.step, "all_reduce");
    one.job.lost = {second};
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), (std::vector<int64_t>{first, second})) << seed;
    EXPECT_TRUE(answer.Proven()) << seed;
    const std::string said = HangReport(answer.job, answer.judgement).headline.str();
    EXPECT_TRUE(said.contains(std::to_string(second) + " stopped the job: it left no dump"))
        << said;
  }
}

TEST(Hang, NamesAllMembersWhereNoneFinished) {
  Case one(0, 1);
  for (const int rank : {0, 1, 2, 3})
    one.job.device_stops[rank] = PlaceOf(one.job, rank, 1, "all_reduce");
  const Answer answer = one.Ask();
  EXPECT_EQ(answer.Roots(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_FALSE(answer.Proven());
}

TEST(Hang, PassesOverAGroupThatItsRankIsNotIn) {
  Case one(0, 1);
  one.job.host_stops[3] = PlaceOf(one.job, 3, 1, "all_to_all");
  Play(one.job);
  const std::string text = Dump(one.job, 0).dump();
  auto dump = ReadFlightDump(ByteSource::FromMemory(text), "rank_77");
  ASSERT_TRUE(dump.has_value());
  const std::vector<RankDump> dumps{std::move(*dump)};
  const Job job = JoinDumps(dumps, 0);
  const Judgement judgement = Judge(job);
  EXPECT_TRUE(judgement.roots.empty());
}

TEST(Hang, SaysThatNothingIsStuck) {
  Case one(0, 1);
  const Answer answer = one.Ask();
  EXPECT_TRUE(answer.judgement.roots.empty());
  EXPECT_EQ(HangReport(answer.job, answer.judgement).headline.str(),
            "No rank is stuck in an operation that was recorded.");
}

// Ranks 1 and 6 are as far from a root, but each waits for one of both; nothing leads to rank 3.
TEST(Hang, GroupsNameWhoWaitsForWhom) {
  const DumpOperation recv{.name = "recv"};
  Job job;
  job.groups.push_back({.name = "pp"});
  Judgement judgement;
  for (const int64_t rank : {3, 9, 14}) judgement.roots.push_back({.rank = rank});
  judgement.waits = {
      {.kind = WaitKind::kMessage, .operation = &recv, .waiting = {1}, .awaited = {9}},
      {.kind = WaitKind::kMessage, .operation = &recv, .waiting = {6}, .awaited = {14}},
      {.kind = WaitKind::kMessage, .operation = &recv, .waiting = {0}, .awaited = {1}},
      {.kind = WaitKind::kMessage, .operation = &recv, .waiting = {7}, .awaited = {6}}};
  const Table table = WaitGroupsTable(job, judgement);
  const ColumnOf ranks(table, "ranks"), waits_for(table, "waits_for"), each(table, "each");
  std::vector<std::string> said;
  for (const auto& row : table.rows) {
    const Cell& waiting = ranks(row);
    const auto* text = std::get_if<std::string>(&waiting);
    said.push_back((text ? *text : "-") + " for " + std::to_string(each.Int(row)) + " of " +
                   waits_for.Text(row));
  }
  EXPECT_EQ(said, (std::vector<std::string>{"1 for 1 of 9", "6 for 1 of 14", "0, 7 for 1 of 1, 6",
                                            "- for 0 of 3"}));
}

}  // namespace
}  // namespace stepscope::hang::testing::hang_test
