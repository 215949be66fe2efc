// Tests what jobs without accelerators wait for: collectives within operators, and messages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::cpu_job_waits_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

Result<ReportSet> AskAboutRanks(const std::vector<CpuTrace>& ranks,
                                const AnalyzeOptions& options = {}) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), ranks[rank].End()));
  return Ask(paths, options);
}

void Reduce(CpuTrace& trace, double start, double end) {
  trace.Add("cpu_op", "c10d::allreduce_", start, 0.1);
  trace.Add("user_annotation", "gloo:all_reduce", start + 0.2, end - start - 0.2, 2);
}

// In each step of 40 ms an autograd function reduces and waits, as tensor parallelism does: rank 0
// is there first. What it does before and after is its own.
TEST(CpuJobWaits, AnOperatorThatWaitsForItsCollectiveDoesNotCompute) {
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 6; ++step) {
    for (int rank = 0; rank < 2; ++rank) {
      const double t = 40 * step, from = rank == 0 ? 10 : 25;
      CpuTrace& trace = ranks[static_cast<size_t>(rank)];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 40);
      trace.Add("cpu_op", "aten::linear", t, from);
      trace.Add("cpu_op", "AllReduceF", t + from, 30 - from);
      Reduce(trace, t + from + 1, t + 29.5);
      trace.Add("cpu_op", "aten::linear", t + 30, 10);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  // Rank 0: 21 ms of 40, rank 1: 36 ms; communication 18.4 and 3.4 ms.
  EXPECT_TRUE(answer->verdict.contains("71.2% compute, 27.3% collectives")) << answer->verdict;
  EXPECT_FALSE(AllSaid(*answer).contains("runs kernels slower")) << AllSaid(*answer);
}

// What computes beneath it does, and what the operator itself does before it starts one.
TEST(CpuJobWaits, AnOperatorAroundACollectiveComputesWhatIsItsOwn) {
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 6; ++step) {
    for (CpuTrace& trace : ranks) {
      const double t = 40 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 40);
      trace.Add("cpu_op", "moe::layer", t, 40);
      Reduce(trace, t + 10, t + 20);
      trace.Add("cpu_op", "aten::mm", t + 20, 4);
      trace.Add("user_annotation", "combine", t + 24, 12);
      Reduce(trace, t + 24, t + 36);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  // 10 ms before the first, and 4 ms in aten::mm. After the last it may still be waiting.
  EXPECT_TRUE(answer->verdict.contains("54.5% collectives, 35.0% compute")) << answer->verdict;
}

TEST(CpuJobWaits, FunctionalCollectivesCommunicateAndSoDoTheirWaits) {
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  for (int step = 1; step <= 6; ++step) {
    for (CpuTrace& trace : ranks) {
      const double t = 40 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 40);
      trace.Add("cpu_op", "aten::linear", t, 20);
      trace.Add("cpu_op", "_c10d_functional::all_reduce", t + 20, 1);
      trace.Add("user_annotation", "gloo:all_reduce", t + 21, 18, 2);
      trace.Add("cpu_op", "_c10d_functional::wait_tensor", t + 21, 19);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("50.0% compute, 50.0% collectives")) << answer->verdict;
}

// Three stages that compute 20 ms of each step of 60 ms; the calls that post messages take long on
// the middle one, which posts twice as many.
TEST(CpuJobWaits, CallsThatPostMessagesMakeNoSlowStage) {
  std::vector<CpuTrace> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.emplace_back(rank, "[]", 1, 3);
  for (int step = 1; step <= 6; ++step) {
    for (size_t rank = 0; rank < 3; ++rank) {
      const double t = 60 * step, posts = rank == 1 ? 20 : 4;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 60);
      trace.Add("cpu_op", "aten::linear", t, 20);
      trace.Add("cpu_op", "c10d::send", t + 20, posts);
      trace.Add("user_annotation", "gloo:send", t + 20 + posts - 0.01, 0.1);
      trace.Add("cpu_op", "c10d::recv_", t + 20.2 + posts, 0.1);
      trace.Add("user_annotation", "gloo:recv", t + 20.29 + posts, 39.6 - posts);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(AllSaid(*answer).contains("slow stage")) << AllSaid(*answer);
}

// Rank 0 writes a checkpoint for 300 ms at the end of step 7, and rank 1 waits for it in step 8.
std::vector<CpuTrace> RanksWithACheckpoint() {
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  for (int step = 5; step <= 11; ++step) {
    const double first = 30 * step + (step >= 8 ? 300 : 0), end = first + 30;
    const double second = 30 * step + (step >= 9 ? 300 : 0);
    const std::string name = fmt::format("ProfilerStep#{}", step);
    ranks[0].Add("user_annotation", name, first, end - first + (step == 7 ? 300 : 0));
    ranks[1].Add("user_annotation", name, second, end - second);
    ranks[0].Add("cpu_op", "aten::linear", first, 20);
    ranks[1].Add("cpu_op", "aten::linear", second, 19);
    Reduce(ranks[0], first + 20, end);
    Reduce(ranks[1], second + 19, end);
  }
  return ranks;
}

// The largest percentage that is said.
double LargestShare(const std::string& text) {
  double largest = 0;
  for (size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    size_t from = at;
    while (from > 0 && std::string_view("0123456789.,").contains(text[from - 1])) --from;
    if (from < at) largest = std::max(largest, std::stod(text.substr(from, at - from)));
  }
  return largest;
}

TEST(CpuJobWaits, SelectedStepsThatBeginLateAreNotLateInEach) {
  const auto answer = AskAboutRanks(RanksWithACheckpoint(), {.steps = "8..11"});
  ASSERT_TRUE(answer);
  const std::string all = AllSaid(*answer);
  EXPECT_LE(LargestShare(all), 100) << all;
  EXPECT_TRUE(all.contains("Rank 0 begins step 8, the first selected, 300 ms after the others"))
      << all;
  EXPECT_TRUE(all.contains("select steps before step 8 too")) << all;
  EXPECT_FALSE(all.contains("in every")) << all;
  EXPECT_FALSE(all.contains("warm-up")) << all;
}

// Python between operators was not recorded. Ranks 1 and 3 take 40 ms there in each step.
TEST(CpuJobWaits, UnrecordedTimeIsOfTheRanksThatHaveIt) {
  std::vector<CpuTrace> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.emplace_back(rank, "[]", 1, 4);
  for (int step = 1; step <= 6; ++step) {
    for (size_t rank = 0; rank < 4; ++rank) {
      const double t = 100 * step, python = rank % 2 == 1 ? 40 : 5;
      CpuTrace& trace = ranks[rank];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), t, 100);
      trace.Add("cpu_op", "aten::linear", t, 30);
      Reduce(trace, t + 30 + python, t + 100);
    }
  }
  const auto answer = AskAboutRanks(ranks);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      AllSaid(*answer).contains("Nothing is recorded in 40.1% of step time on ranks 1 and 3;"))
      << AllSaid(*answer);
}

TEST(CpuJobWaits, OneOfTwoRanksMayWaitForTheOther) {
  CpuTrace trace(0);
  for (int step = 1; step <= 4; ++step) trace.Step(step, 45 * step, 0, 45 * (step + 1));
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains(
      "1 of 2 ranks was given: communication may be waiting for the other."))
      << answer->verdict;
  EXPECT_TRUE(AllSaid(*answer).contains("this may be waiting for the absent one"))
      << AllSaid(*answer);
}

}  // namespace
}  // namespace stepscope::cpu_job_waits_test
