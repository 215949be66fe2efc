// Tests what is said of traces that are not of one job.
#include "session/job_of_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "report/summary.h"
#include "tests/front_door.h"

namespace stepscope::job_of_files_test {
namespace {

using testing::Ask;
using testing::Kernel;
using testing::NoteCount;
using testing::ScratchFolder;

// One kernel at `start` µs. `groups`: "[0, 1], [0]"; each gets a name.
std::string Trace(int rank, int world, std::string_view groups = "", int64_t start = 0) {
  return testing::Document(
      {Kernel("gemm", start, 10)},
      fmt::format(
          R"("host_name":"a","distributedInfo":{{"rank":{},"world_size":{},"pg_config":[{}]}},)",
          rank, world, groups));
}

std::string Group(std::string_view ranks) {
  return fmt::format(R"({{"pg_name":"g","ranks":{}}})", ranks);
}

TEST(JobOfFiles, WorldsOfOtherSizesAreRefused) {
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("w0.json", Trace(0, 2)), folder.Write("w1.json", Trace(1, 2)),
           folder.Write("p0.json", Trace(0, 3)), folder.Write("p1.json", Trace(1, 3)),
           folder.Write("p2.json", Trace(2, 3))});
  ASSERT_FALSE(answer);
  EXPECT_EQ(
      answer.error().what,
      "these traces are of different jobs: w0.json and w1.json of 2 ranks, p0.json and 2 others "
      "of 3 ranks");
  EXPECT_TRUE(answer.error().hint.starts_with("give the traces of one job")) << answer.error().hint;
}

TEST(JobOfFiles, TracesWithoutAWorldAreOfAnyJob) {
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("rank0.json", Trace(0, 2)),
           folder.Write("rank1.json", testing::DocumentOfRank(1, {Kernel("a", 0, 5)}))});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->verdict.contains("another job")) << answer->verdict;
}

TEST(JobOfFiles, GroupsThatContradictAreSaidFirst) {
  const ScratchFolder folder;
  const std::string world = Group("[0, 1, 2, 3]");
  const std::string a = folder.Write("a.json", Trace(0, 4, world + "," + Group("[0, 1]")));
  const std::string b = folder.Write("b.json", Trace(1, 4, world + "," + Group("[0, 1]")));
  const auto other =
      Ask({a, b, folder.Write("c.json", Trace(0, 4, world + "," + Group("[0, 2]"), 99))});
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->verdict.starts_with(
      "Traces may be of another job: their process groups are not those of the first: c.json has "
      "others than a.json. "))
      << other->verdict;
  // A group that was made, or left, in between.
  const auto same = Ask({a, b, folder.Write("d.json", Trace(0, 4, world, 99))});
  ASSERT_TRUE(same);
  EXPECT_EQ(NoteCount(*same, "other_groups"), 0);
}

TEST(JobOfFiles, RanksOfOneMachineFarApartAreSaidFirst) {
  const ScratchFolder folder;
  const int64_t later = 600'000'000;
  const auto answer =
      Ask({folder.Write("a.json", Trace(0, 2)), folder.Write("b.json", Trace(1, 2, "", later))});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      answer->verdict.starts_with("Traces may be of another job: ranks of one machine were not "
                                  "recorded at the same time: a.json "
                                  "and b.json are 600 s apart. "))
      << answer->verdict;
  EXPECT_EQ(NoteCount(*answer, "other_times"), 1);
}

TEST(JobOfFiles, ARankThatWasRecordedTwiceMeetsTheOtherOnce) {
  const ScratchFolder folder;
  const int64_t later = 600'000'000;
  const auto answer =
      Ask({folder.Write("a.json", Trace(0, 2)), folder.Write("b.json", Trace(0, 2, "", later)),
           folder.Write("c.json", Trace(1, 2, "", later))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "other_times"), 0);
}

// Rank 0 at `start` µs: these two steps of 100 µs.
std::string TwoSteps(int first, int64_t start) {
  const auto step = [&](int number, int64_t at) {
    return fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":7,"tid":1,"ts":{},"dur":99}})",
        number, at);
  };
  return testing::DocumentOfRank(0, {step(first, start), step(first + 1, start + 100)});
}

TEST(JobOfFiles, StepNumbersThatBeginAgainAreSaidFirst) {
  const ScratchFolder folder;
  const std::string first = folder.Write("a.json", TwoSteps(3, 0));
  const auto again = Ask({first, folder.Write("b.json", TwoSteps(3, 9000))});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->verdict.starts_with(
      "Recordings may be of another start of the job: their step numbers begin again: b.json "
      "begins with step 3, a.json ended with step 4. "))
      << again->verdict;
  const auto on = Ask({first, folder.Write("c.json", TwoSteps(5, 9000))});
  ASSERT_TRUE(on);
  EXPECT_EQ(NoteCount(*on, "steps_again"), 0);
}

// Kernels at `start` µs and 100 µs later.
std::string TwoKernels(std::string_view name, int64_t start, std::string_view rank = R"("rank":0,)",
                       std::string_view host = "a") {
  return testing::Document(
      {Kernel(name, start, 10), Kernel(name, start + 100, 10)},
      fmt::format(R"("host_name":"{}","distributedInfo":{{{}"world_size":2}},)", host, rank));
}

TEST(JobOfFiles, ARankInTwoFoldersAtOneTimeIsOfTwoRuns) {
  const ScratchFolder folder;
  folder.Write("a/rank_0/t.json", TwoKernels("gemm", 0));
  folder.Write("a/rank_1/t.json", TwoKernels("gemm", 0, R"("rank":1,)"));
  folder.Write("b/rank_0/t.json", TwoKernels("relu", 50));
  const auto answer = Ask({folder.path() + "/a", folder.path() + "/b"});
  ASSERT_FALSE(answer);
  const Error& error = answer.error();
  EXPECT_TRUE(error.what.starts_with("rank 0 is in both ")) << error.what;
  EXPECT_TRUE(error.what.contains("/a and ")) << error.what;
  EXPECT_TRUE(error.what.contains("/b at the same time: these are two runs")) << error.what;
  EXPECT_TRUE(error.hint.contains("stepscope compare A B")) << error.hint;
}

TEST(JobOfFiles, RecordingsOneAfterAnotherMayLieAnywhere) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("b/t.json", TwoKernels("relu", 5000)),
                           folder.Write("a/t.json", TwoKernels("gemm", 0))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.ranks, 1);
}

// What the host does at `start` µs, in this process.
std::string OfProcess(int rank, int process, int64_t start) {
  return testing::Document(
      {Kernel("gemm", start, 10), Kernel("gemm", start + 100, 10),
       fmt::format(
           R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":{},"tid":1,"ts":{},"dur":9}})",
           process, start)},
      fmt::format(R"("distributedInfo":{{"rank":{},"world_size":2}},)", rank));
}

// Two ranks, the processes 70 and 71, and 24 s later these.
void WriteTwice(const ScratchFolder& folder, int process_of_0, int process_of_1) {
  folder.Write("a_rank0.json", OfProcess(0, 70, 0));
  folder.Write("a_rank1.json", OfProcess(1, 71, 3));
  folder.Write("b_rank0.json", OfProcess(0, process_of_0, 24'000'000));
  folder.Write("b_rank1.json", OfProcess(1, process_of_1, 24'000'009));
}

TEST(JobOfFiles, RanksOfTwoProcessesEachAreOfTwoStarts) {
  const ScratchFolder folder;
  WriteTwice(folder, 80, 81);
  const auto both = Ask({folder.path()});
  ASSERT_FALSE(both);
  EXPECT_TRUE(
      both.error().what.ends_with("different jobs: a_rank0.json and a_rank1.json; "
                                  "b_rank0.json and b_rank1.json (24.0 s later)"))
      << both.error().what;
  EXPECT_TRUE(both.error().hint.starts_with("give the files of one")) << both.error().hint;
  const auto one = Ask({folder.path() + "/b_rank0.json", folder.path() + "/b_rank1.json"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->run.ranks, 2);
}

// A rank that was started again alone goes on with the others; windows are of one process.
TEST(JobOfFiles, ARankStartedAgainAndWindowsAreOfOneStart) {
  const ScratchFolder folder;
  WriteTwice(folder, 70, 99);
  EXPECT_TRUE(Ask({folder.path()}));
}

// As where each host numbers its own ranks.
TEST(JobOfFiles, NamesAloneDoNotTellTwoRunsOfTwoHosts) {
  for (const char* host : {"a", "b"}) {
    const ScratchFolder folder;
    const auto answer = Ask({folder.Write("a/rank_0.json", TwoKernels("gemm", 0, "", "a")),
                             folder.Write("b/rank_0.json", TwoKernels("relu", 50, "", host))});
    EXPECT_EQ(answer.has_value(), host == std::string_view("b"));
  }
}

TEST(JobOfFiles, RecordingsOfOneDeviceAreNoDevices) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("a.json", TwoKernels("gemm", 0)),
                           folder.Write("b.json", TwoKernels("relu", 50))});
  ASSERT_TRUE(answer);
  const std::string subject(SubjectOf(*answer));
  EXPECT_TRUE(subject.contains("1 rank with 2 recordings")) << subject;
}

TEST(JobOfFiles, AbsentRanksAreNamed) {
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("a.json", Trace(0, 4)), folder.Write("b.json", Trace(3, 4))});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains(". Input is incomplete: ranks 1 and 2 have no trace."))
      << answer->verdict;
}

}  // namespace
}  // namespace stepscope::job_of_files_test
