// Tests what `stepscope hang` may conclude of gloo's dumps, which name no members and no messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/columns.h"
#include "stepscope/hang.h"
#include "tests/scratch.h"
#include "tests/support/gloo_dump.h"

namespace stepscope::testing::hang_gloo_test {
namespace {

ReportSet Ask(const ScratchFolder& folder, int64_t world_size = 0) {
  auto answer = FindHang(std::vector{folder.path()}, {.world_size = world_size});
  EXPECT_TRUE(answer.has_value()) << answer.error().what;
  return answer ? std::move(*answer) : ReportSet{};
}

// "2 host_not_arrived yes, 3 dump_missing no".
std::string RootsOf(const ReportSet& answer) {
  std::string text;
  const Table& roots = answer.reports.at(0).tables.at(0);
  for (const auto& row : roots.rows)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", ColumnOf(roots, "rank").Int(row),
                        ColumnOf(roots, "reason").Text(row), ColumnOf(roots, "certain").Text(row));
  return text;
}

void Write(const ScratchFolder& folder, int rank, const std::vector<GlooGroup>& groups,
           int64_t ranks) {
  folder.Write(fmt::format("rank_{}", rank), GlooDump(groups, ranks));
}

GlooGroup World(int64_t finished, bool stuck = false) {
  return {"0", "default_pg", finished, stuck};
}

// Rank `rank` of a job of dp x tp = 2 x 2, whose groups have done so much.
GlooGroup Tp(int rank, int64_t finished, bool stuck = false) {
  return {rank < 2 ? "1" : "2", "tp", finished, stuck};
}
GlooGroup Dp(int rank, int64_t finished, bool stuck = false) {
  return {rank % 2 == 0 ? "3" : "4", "dp", finished, stuck};
}

TEST(HangOfGloo, AMemberFollowsWhereNobodyElseIsLeft) {
  const ScratchFolder folder;
  Write(folder, 0, {World(3, true), Tp(0, 2), Dp(0, 2)}, 2);
  Write(folder, 1, {World(3, true), Tp(1, 2), Dp(1, 2)}, 2);
  Write(folder, 2, {World(3), Tp(2, 2, true), Dp(2, 2)}, 2);
  EXPECT_EQ(RootsOf(Ask(folder, 4)), "3 dump_missing yes");
}

// Rank 3 may be all there is, and so may 3 and 4, and 4 alone.
TEST(HangOfGloo, NoRankIsNamedThatNoDumpKnows) {
  const ScratchFolder folder;
  Write(folder, 0, {Tp(0, 2)}, 2);
  Write(folder, 1, {Tp(1, 2)}, 2);
  Write(folder, 2, {Tp(2, 2, true)}, 2);
  const ReportSet answer = Ask(folder);
  EXPECT_EQ(RootsOf(answer), "");
  EXPECT_EQ(answer.verdict.str(),
            "Which rank stopped the job is not known: 1 ranks are stuck, and dumps do not tell for "
            "whom they wait; dumps of all ranks, or world_size, would.");
}

// Rank 3 is dead, and the group made last has two ranks: no dump tells that there is a fourth.
TEST(HangOfGloo, ADeadLastRankMayBeOneThatNoDumpKnows) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2}) Write(folder, rank, {World(3, true), Dp(rank, 2)}, 2);
  const ReportSet answer = Ask(folder);
  EXPECT_EQ(answer.verdict.str(),
            "Which rank stopped the job is not known: ranks 0, 1 and 2 arrived at all_reduce 4 of "
            "group default_pg, none finished it, and whether the job has more ranks is not "
            "recorded.");
  EXPECT_TRUE(answer.reports.at(0).findings.at(0).hint.str().starts_with("give world_size"));
  EXPECT_EQ(RootsOf(Ask(folder, 4)), "3 dump_missing yes");
}

// As a pattern would have it, the group of rank 3 is {3, 4}; rank 2 did not yet use it. It may wait
// for rank 0 or 1, which are in no operation: gloo records no messages.
TEST(HangOfGloo, AMemberThatDidNotBeginWithItsGroupDidNotArrive) {
  const ScratchFolder folder;
  Write(folder, 0, {World(1), Tp(0, 1)}, 2);
  Write(folder, 1, {World(1), Tp(1, 1)}, 2);
  Write(folder, 2, {World(1)}, 4);
  Write(folder, 3, {World(1), Tp(3, 0, true)}, 2);
  const ReportSet answer = Ask(folder);
  EXPECT_EQ(RootsOf(answer), "2 host_not_arrived no");
  EXPECT_TRUE(answer.verdict.starts_with(
      "Whether rank 2 stopped the job is not known: its host did not arrive at all_reduce 1 of "
      "group tp, and it may wait itself, in a message that this back end does not record."))
      << answer.verdict.str();
}

TEST(HangOfGloo, WhoMayBeAMemberIsNotCertain) {
  const ScratchFolder folder;
  for (const int rank : {0, 1}) Write(folder, rank, {Tp(rank, 2), World(3, true)}, 2);
  Write(folder, 2, {World(3), Tp(2, 2, true)}, 2);
  const ReportSet answer = Ask(folder, 6);  // of 3, 4 and 5 there is no dump
  EXPECT_EQ(RootsOf(answer), "3 dump_missing no, 4 dump_missing no, 5 dump_missing no");
  EXPECT_EQ(answer.verdict.str(),
            "Which of ranks 3, 4 and 5 stopped the job is not known: others wait at all_reduce 3 "
            "of group tp, and which of them are members is not recorded.");
}

// Ranks 0 and 1 finished what 2 and 3 did not call: they are two sets with a group of one name.
TEST(HangOfGloo, SetsOfRanksThatShareANameAreNotOneGroup) {
  const ScratchFolder folder;
  for (const int rank : {0, 1}) Write(folder, rank, {World(3), {"1", "dp", 7, rank == 0}}, 2);
  for (const int rank : {2, 3}) Write(folder, rank, {World(3), {"1", "dp", 4}}, 2);
  const ReportSet answer = Ask(folder, 4);
  EXPECT_EQ(RootsOf(answer), "1 host_not_arrived no, 2 host_not_arrived no, 3 host_not_arrived no");
  EXPECT_TRUE(answer.verdict.contains("which of them are members is not recorded"))
      << answer.verdict.str();
}

TEST(HangOfGloo, MembersOfASplitGroupAreRecordedWithoutItsDescription) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2}) {
    std::string dump =
        GlooDump({World(3, rank < 2), {rank < 2 ? "6c" : "3d", "sp", 2, rank == 2}}, 2);
    const std::string own =
        fmt::format(R"({{"{0}":{{"name":"{0}","desc":"","ranks":"[{1}, {2}]"}},)",
                    rank < 2 ? "6c" : "3d", rank / 2 * 2, rank / 2 * 2 + 1);
    const std::string config = R"("pg_config":{)";
    dump.replace(dump.find(config) + config.size() - 1, 1, own);
    folder.Write(fmt::format("rank_{}", rank), dump);
  }
  EXPECT_EQ(RootsOf(Ask(folder)), "3 dump_missing yes");
}

// Rank 3 died; what rank 2 did last with it ended with an error, of which dumps say nothing.
TEST(HangOfGloo, ARankWhoseLastOperationLackedADumpIsNamedWithIt) {
  const ScratchFolder folder;
  Write(folder, 0, {World(3), Tp(0, 3), Dp(0, 3, true)}, 2);
  Write(folder, 1, {World(3), Tp(1, 3), Dp(1, 4)}, 2);
  Write(folder, 2, {World(3), Dp(2, 3), Tp(2, 4)}, 2);
  const ReportSet answer = Ask(folder, 4);
  EXPECT_EQ(RootsOf(answer), "2 host_not_arrived no, 3 dump_missing no");
  EXPECT_TRUE(answer.verdict.contains("Which of ranks 2 and 3 stopped the job is not known"))
      << answer.verdict.str();
}

TEST(HangOfGloo, SizesThatDifferedBeforeAreEvidence) {
  const ScratchFolder folder;
  Write(folder, 0, {World(5, true)}, 3);
  Write(folder, 1, {World(5, true)}, 3);
  GlooGroup other = World(5);
  other.sizes[3] = 12;
  Write(folder, 2, {other}, 3);
  const ReportSet answer = Ask(folder);
  EXPECT_EQ(RootsOf(answer), "2 host_not_arrived yes");
  const std::string before =
      "members called different things at all_reduce 3 of group default_pg, and finished it: "
      "all_reduce [[12]] of Float on rank 2, all_reduce [[8]] of Float on ranks 0 and 1";
  const Report& report = answer.reports.at(0);
  const Table& roots = report.tables.at(0);
  EXPECT_TRUE(ColumnOf(roots, "evidence").Text(roots.rows.at(0)).ends_with("before, " + before));
  EXPECT_EQ(report.findings.at(1).because.str(), before);
  EXPECT_EQ(report.tables.back().key, "earlier");
}

// Counters of a group that sends too are ahead of its numbers of collectives.
TEST(HangOfGloo, CountersOfMessagesAreNoCollectives) {
  const ScratchFolder folder;
  const auto world = [](int64_t finished, bool stuck) {
    return GlooGroup{"0", "default_pg", finished, stuck, {}, 22};
  };
  Write(folder, 0, {world(3, true), Tp(0, 3), Dp(0, 3)}, 2);
  Write(folder, 1, {world(3, false), Tp(1, 3), Dp(1, 2, true)}, 2);
  Write(folder, 2, {world(3, true), Tp(2, 3), Dp(2, 3)}, 2);
  Write(folder, 3, {world(3, false), Tp(3, 3), Dp(3, 2)}, 2);
  const ReportSet answer = Ask(folder, 4);
  EXPECT_EQ(RootsOf(answer), "3 host_not_arrived yes");
  EXPECT_TRUE(answer.verdict.contains("did not arrive at all_reduce")) << answer.verdict.str();
}

// Rank 3 died, and no dump tells of it. What ranks 1 and 2 did last ended with an error.
TEST(HangOfGloo, ARankThatNoDumpTellsOfMayHaveDied) {
  for (const bool described : {true, false}) {
    const ScratchFolder folder;
    const auto dump = [&](int rank, std::vector<GlooGroup> groups) {
      for (GlooGroup& group : groups)
        if (!described && group.name != "0") group.description = "undefined";
      Write(folder, rank, groups, 2);
    };
    dump(0, {World(3, true), Tp(0, 3), Dp(0, 3)});
    dump(1, {World(3), Tp(1, 3), Dp(1, 3)});
    dump(2, {World(4), Tp(2, 3), Dp(2, 3)});
    const ReportSet answer = Ask(folder);
    EXPECT_EQ(RootsOf(answer), "1 host_not_arrived no");
    EXPECT_TRUE(answer.verdict.contains("a process that left no dump may have died"))
        << answer.verdict.str();
    EXPECT_TRUE(answer.reports.at(0).findings.at(0).hint.str().starts_with("give world_size"));
    EXPECT_EQ(RootsOf(Ask(folder, 4)),
              described ? "1 host_not_arrived no, 3 dump_missing no" : "1 host_not_arrived no");
  }
}

// Each may wait in a message for the other.
TEST(HangOfGloo, OfTwoRanksThatDidNotArriveNeitherIsCertain) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2, 3}) Write(folder, rank, {World(3), Dp(rank, 2, rank > 1)}, 2);
  EXPECT_EQ(RootsOf(Ask(folder)), "0 host_not_arrived no, 1 host_not_arrived no");
}

// As where all ranks wait in a circle of messages, and as where none does.
TEST(HangOfGloo, WhereNobodyIsStuckMessagesMayBe) {
  const ScratchFolder folder;
  for (const int rank : {0, 1}) Write(folder, rank, {World(3)}, 2);
  const ReportSet answer = Ask(folder);
  EXPECT_EQ(RootsOf(answer), "");
  EXPECT_EQ(answer.verdict.str(),
            "No rank is stuck in an operation that was recorded. Whether ranks wait for one "
            "another in send and recv is not known: this back end does not record them.");
  const std::string hint = answer.reports.at(0).findings.at(0).hint.str();
  EXPECT_TRUE(hint.starts_with("take stacks of all ranks") && hint.contains("dump again"));
}

std::string InMessage(const std::string& call, int line) {
  return fmt::format(
      "Process 71: python\nPython v3.11\n\nThread 71 (idle): \"MainThread\"\n"
      "    {} (torch/distributed/distributed_c10d.py:9)\n    step (train.py:{})\n",
      call, line);
}

TEST(HangOfGloo, ACircleThatOnlyStacksShowIsPossible) {
  for (const bool others : {true, false}) {
    const ScratchFolder folder;
    for (const int rank : {0, 1}) {
      Write(folder, rank, {World(3)}, others ? 4 : 2);
      folder.Write(fmt::format("stack_{}.txt", rank), InMessage("recv", 5 + rank));
      if (others) Write(folder, rank + 2, {World(3, true)}, 4);
    }
    const ReportSet answer = Ask(folder);
    EXPECT_EQ(RootsOf(answer), "0 point_to_point_cycle no, 1 point_to_point_cycle no");
    EXPECT_EQ(answer.verdict.str(),
              "Which of ranks 0 and 1 stopped the job is not known: they wait in messages, perhaps "
              "for one another (rank 0 in recv at train.py:5 (step), rank 1 in recv at train.py:6 "
              "(step)), and for which ranks is not recorded.");
    EXPECT_TRUE(answer.reports.at(0).findings.at(0).hint.contains("py-spy dump with locals"));
  }
}

std::string WithPeer(const std::string& call, const std::string& peer) {
  return fmt::format(
      "Process 71: python\nPython v3.11\n\nThread 71 (idle): \"MainThread\"\n"
      "    {} (torch/distributed/distributed_c10d.py:9)\n"
      "    wrapper (torch/distributed/c10d_logger.py:83)\n"
      "        Arguments:\n            {}\n    step (train.py:5)\n",
      call, peer);
}

// As `py-spy dump --locals` shows it.
TEST(HangOfGloo, ACircleIsProvenWhereStacksSayForWhom) {
  for (const bool others : {true, false}) {
    const ScratchFolder folder;
    for (const int rank : {0, 1}) {
      Write(folder, rank, {World(3)}, others ? 4 : 2);
      folder.Write(fmt::format("stack_{}.txt", rank),
                   WithPeer("recv", fmt::format("src: {}", 1 - rank)));
      if (others) Write(folder, rank + 2, {World(3, true)}, 4);
    }
    EXPECT_EQ(RootsOf(Ask(folder)), "0 point_to_point_cycle yes, 1 point_to_point_cycle yes");
    // The other end is there: it moves, or is for another tag.
    folder.Write("stack_1.txt", WithPeer("send", "dst: 0"));
    EXPECT_FALSE(RootsOf(Ask(folder)).contains("yes"));
  }
}

TEST(HangOfGloo, WhomAMessageIsForWaitsPerhapsToo) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2}) Write(folder, rank, {World(3, rank == 2)}, 3);
  folder.Write("stack_0.txt", WithPeer("recv", "src: 1"));
  EXPECT_EQ(RootsOf(Ask(folder)), "1 host_not_arrived no");
  folder.Write("stack_1.txt", InMessage("all_gather", 3));  // it is known not to send
  EXPECT_EQ(RootsOf(Ask(folder)), "1 host_not_arrived yes");
}

// Nobody waits for rank 1 but in a message, and it may be of the circle.
TEST(HangOfGloo, ARankOfACircleThatNobodyElseAwaitsIsNamed) {
  const ScratchFolder folder;
  for (const int rank : {0, 1, 2}) {
    Write(folder, rank, {World(3), {"1", "half", 2, false}}, 3);
    folder.Write(fmt::format("stack_{}.txt", rank), InMessage("recv", 5));
  }
  Write(folder, 3, {World(3), {"2", "half", 2, true}}, 3);
  EXPECT_EQ(RootsOf(Ask(folder, 4)).substr(0, 2), "0 ");
}

TEST(HangOfGloo, AdviceForProcessorsNamesNoDevices) {
  for (const int finished : {3, 4}) {  // no rank finished it, or one did
    const ScratchFolder folder;
    Write(folder, 0, {World(3, true)}, 2);
    Write(folder, 1, {World(finished, finished == 3)}, 2);
    const ReportSet answer = Ask(folder);
    for (const Finding& finding : answer.reports.at(0).findings)
      for (const Phrase& text : {finding.message, finding.because, finding.hint})
        for (const std::string_view word : {"nvidia", "Xid", "device"})
          EXPECT_FALSE(text.contains(word)) << text.str();
  }
}

}  // namespace
}  // namespace stepscope::testing::hang_gloo_test
