// Tests that dumps of another attempt or job accuse nobody.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <string>

#include "base/time_units.h"
#include "tests/support/hang_answer.h"
#include "tests/support/played_hang.h"

namespace stepscope::testing::hang_attempts_test {
namespace {

using hang::testing::Case;
using hang::testing::Dump;
using hang::testing::kWorld;
using hang::testing::PlaceOf;
using nlohmann::json;

constexpr int64_t kMinute = 60 * kSecond;

// A job in which the host of `rank` stops at that operation of a step.
Case Stopped(unsigned seed, int rank, int step, const char* operation) {
  Case one(seed, 1);
  one.job.host_stops[rank] = PlaceOf(one.job, rank, step, operation);
  Play(one.job);
  return one;
}

std::string Later(json dump, int64_t by) {
  for (json& entry : dump["entries"])
    entry["time_created_ns"] = entry["time_created_ns"].get<int64_t>() + by;
  return dump.dump();
}

std::string NameOf(int rank) { return fmt::format("nccl_trace_rank_{}", rank); }

// The seed says whether dumps name members, and keep finished operations.
TEST(HangAttempts, ADumpOfAnEarlierAttemptAccusesNobody) {
  for (const unsigned seed : {0U, 1U, 2U, 4U}) {
    for (int stale = 0; stale < kWorld; ++stale) {
      const Case old = Stopped(seed, (stale + 5) % kWorld, 1, "all_reduce");
      const Case now = Stopped(seed, 3, 2, "all_to_all");
      const ScratchFolder folder;
      for (int rank = 0; rank < kWorld; ++rank)
        folder.Write(NameOf(rank), rank == stale ? Dump(old.job, rank).dump()
                                                 : Later(Dump(now.job, rank), 41 * kMinute));
      const ReportSet answer = HangOf(folder);
      const std::string roots = HangRoots(answer);
      if (stale == 3) {
        EXPECT_FALSE(roots.contains("yes")) << seed << " " << roots;
      } else {
        EXPECT_EQ(roots, "3 host_not_arrived yes") << seed << " " << stale;
      }
      EXPECT_TRUE(HasNote(answer, "unusable_dump")) << seed << " " << stale;
    }
  }
}

TEST(HangAttempts, TheRankOfAnEarlierDumpMayHaveStoppedTheJob) {
  const Case old = Stopped(0, 9, 1, "all_reduce"), now = Stopped(0, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank)
    folder.Write(NameOf(rank),
                 rank == 3 ? Dump(old.job, rank).dump() : Later(Dump(now.job, rank), 41 * kMinute));
  const ReportSet answer = HangOf(folder);
  EXPECT_EQ(HangRoots(answer), "3 dump_missing no");
  EXPECT_TRUE(answer.verdict.starts_with(
      "Whether rank 3 stopped the job is not known: its dump seems to be of an earlier attempt "
      "(its last operation is 41.0 min older than the first of others), and all others arrived at "
      "all_to_all"))
      << answer.verdict;
}

// Attempts of a few seconds each, one after another: by their times alone they may be one.
TEST(HangAttempts, AQuickRestartLeavesNothingCertain) {
  const Case old = Stopped(3, 9, 1, "all_reduce"), now = Stopped(3, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank)
    folder.Write(NameOf(rank),
                 rank == 8 ? Dump(old.job, rank).dump() : Later(Dump(now.job, rank), 30 * kSecond));
  EXPECT_FALSE(HangRoots(HangOf(folder)).contains("yes"));
}

// Half of the ranks are gone, and what they left lies there still.
TEST(HangAttempts, AJobThatWentOnWithFewerRanksHasOnlyThese) {
  const ScratchFolder folder;
  const auto dump = [](int rank, int ranks, bool waits, int64_t time) {
    json members = json::array();
    for (int member = 0; member < ranks; ++member) members.push_back(member);
    json dump{{"version", "2.10"}, {"entries", json::array()}};
    dump["pg_config"]["0"] = {{"name", "0"}, {"desc", "default_pg"}, {"ranks", members.dump()}};
    dump["pg_config"]["own"] = {
        {"name", "own"}, {"desc", "own"}, {"ranks", fmt::format("[{}]", rank)}};
    for (int sequence = 1; sequence <= (waits ? 2 : 1); ++sequence)
      dump["entries"].push_back({{"record_id", sequence - 1},
                                 {"process_group", {"0", "default_pg"}},
                                 {"collective_seq_id", sequence},
                                 {"profiling_name", "nccl:all_reduce"},
                                 {"time_created_ns", time + sequence},
                                 {"input_sizes", {{8}}},
                                 {"output_sizes", {{8}}},
                                 {"input_dtypes", {"Float"}},
                                 {"state", sequence == 1 ? "completed" : "scheduled"}});
    return dump.dump();
  };
  for (int rank = 0; rank < 2; ++rank)
    folder.Write(NameOf(rank), dump(rank, 2, rank == 0, 50 * kMinute));
  for (int rank = 2; rank < 4; ++rank) folder.Write(NameOf(rank), dump(rank, 4, true, kMinute));
  const ReportSet answer = HangOf(folder);
  EXPECT_EQ(HangRoots(answer), "1 host_not_arrived yes");
  EXPECT_TRUE(HasNote(answer, "unusable_dump"));
}

// One dump that is newer than all others is more likely the wrong one.
TEST(HangAttempts, ANewerDumpAloneMakesNothingCertain) {
  const Case now = Stopped(2, 3, 2, "all_to_all"), later = Stopped(2, 9, 1, "all_reduce");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank)
    folder.Write(NameOf(rank), rank == 8 ? Later(Dump(later.job, rank), 41 * kMinute)
                                         : Dump(now.job, rank).dump());
  const ReportSet answer = HangOf(folder);
  EXPECT_EQ(HangRoots(answer), "3 host_not_arrived no");
  EXPECT_TRUE(answer.verdict.starts_with(
      "Dumps contradict one another: the first operation of rank 8 is 41.0 min newer than the "
      "last of most others. "))
      << answer.verdict;
}

void WriteAt(const ScratchFolder& folder, int rank, const std::string& dump, int64_t time) {
  const std::string path = folder.Write(NameOf(rank), dump);
  const timespec when{.tv_sec = time / kSecond, .tv_nsec = time % kSecond};
  const timespec times[] = {when, when};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// A dump without operations has no other time than that of its file.
TEST(HangAttempts, AFileThatIsOlderThanTheOthersOperationsDoesNotCount) {
  constexpr int64_t kBegin = 1'758'580'155 * kSecond;
  Case now = Stopped(0, 3, 2, "all_to_all");
  now.job.only_unfinished = true;
  for (const auto& [age, roots] :
       {std::pair{-5 * kMinute, "3 host_not_arrived yes"}, {9 * kMinute, "3 dump_missing no"}}) {
    const ScratchFolder folder;
    for (int rank = 0; rank < kWorld; ++rank)
      WriteAt(folder, rank, Dump(now.job, rank).dump(),
              rank == 3 ? kBegin - age : kBegin + 10 * kMinute);
    EXPECT_EQ(HangRoots(HangOf(folder)), roots);
  }
}

// Rank 8 was dumped first, when it had just come to what the others did later.
TEST(HangAttempts, DumpsOfAJobThatMovedBetweenThemAreNotCertain) {
  constexpr int64_t kBegin = 1'758'580'155 * kSecond;
  const Case now = Stopped(2, 8, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank) {
    json dump = Dump(now.job, rank);
    if (rank != 8) dump["entries"].back()["time_created_ns"] = kBegin + 3 * kMinute;
    WriteAt(folder, rank, dump.dump(), kBegin + (rank == 8 ? 1 : 5) * kMinute);
  }
  const ReportSet answer = HangOf(folder);
  EXPECT_EQ(HangRoots(answer), "8 host_not_arrived no");
  EXPECT_TRUE(
      answer.verdict.contains("the dump of rank 8 was written 120 s before the last "
                              "operation of others, when the job still moved"))
      << answer.verdict;
}

TEST(HangAttempts, DirectoriesOfSeveralAttemptsAreToldApart) {
  const Case old = Stopped(0, 9, 1, "all_reduce"), now = Stopped(0, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank)
    folder.Write("attempt_2/" + NameOf(rank), Later(Dump(now.job, rank), 41 * kMinute));
  for (int rank = 0; rank < kWorld; ++rank)  // copied later
    folder.Write("attempt_1/" + NameOf(rank), Dump(old.job, rank).dump());
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(answer.error().what.contains("several jobs or attempts")) << answer.error().what;
  EXPECT_EQ(answer.error().hint,
            "give one of them: stepscope hang " + folder.path() + "/attempt_2");
  const auto one = FindHang(std::vector{folder.path() + "/attempt_1"});
  ASSERT_TRUE(one.has_value()) << one.error().what;
  EXPECT_EQ(HangRoots(*one), "9 host_not_arrived yes");
}

TEST(HangAttempts, DumpsOfTwoJobsInOneDirectoryAreToldApart) {
  const Case one = Stopped(0, 9, 1, "all_reduce"), other = Stopped(0, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank) {
    folder.Write("first_" + NameOf(rank), Dump(one.job, rank).dump());
    folder.Write("second_" + NameOf(rank), Dump(other.job, rank).dump());
  }
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(answer.error().what.contains("several jobs or attempts")) << answer.error().what;
}

// As a job leaves them that has a directory for each node.
TEST(HangAttempts, DirectoriesOfDifferentRanksAreOneJob) {
  const Case now = Stopped(0, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank)
    folder.Write(fmt::format("node_{}/{}", rank / 8, NameOf(rank)), Dump(now.job, rank).dump());
  EXPECT_EQ(HangRoots(HangOf(folder)), "3 host_not_arrived yes");
}

TEST(HangAttempts, TheNewestOfSeveralDumpsOfARankCounts) {
  const Case old = Stopped(0, 9, 1, "all_reduce"), now = Stopped(0, 3, 2, "all_to_all");
  const ScratchFolder folder;
  for (int rank = 0; rank < kWorld; ++rank) {
    folder.Write(NameOf(rank) + "_2026-11-11", Dump(old.job, rank).dump());
    folder.Write(NameOf(rank) + "_2026-11-12", Later(Dump(now.job, rank), 41 * kMinute));
  }
  const ReportSet answer = HangOf(folder);
  EXPECT_EQ(HangRoots(answer), "3 host_not_arrived yes");
  EXPECT_TRUE(HasNote(answer, "several_dumps_of_a_rank"));
}

}  // namespace
}  // namespace stepscope::testing::hang_attempts_test
