// Tests which ranks and groups of small jobs are said to cost time, and how much.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"
#include "tests/support/cpu_trace.h"
#include "tests/support/gpu_job.h"
#include "tests/whatif_answer.h"

namespace stepscope::testing::whatif_origins_test {
namespace {

// Ten steps: each rank computes for `compute` ms and reduces with all others in 1 ms.
GpuJob DataParallel(int ranks, const std::function<double(int rank, int step)>& compute) {
  GpuJob job(ranks);
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    double last = 0;
    for (const int rank : all) last = std::max(last, at + compute(rank, step));
    const double end = last + 1.1;
    job.Step(step, at, end);
    for (const int rank : all) {
      const double computed = at + compute(rank, step);
      job.Kernel(rank, "gemm", at + 0.05, computed, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", computed + 0.001, last + 1, 7,
                 GpuJob::AllReduce("dp", all));
    }
    at = end;
  }
  return job;
}

TEST(WhatifOrigins, ARankThatIsLateNowAndThenIsPricedOnAverage) {
  const ReportSet answer = AnswerToJob(DataParallel(4, [](int rank, int step) {
    return rank == 2 && step % 3 == 0 ? 15 : 10 + 0.01 * ((rank + step) % 3);
  }));
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 2: all = median of ranks"});
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 15e6 / 10, 0.1e6);
  EXPECT_TRUE(AllSaid(answer).contains("Rank 2 holds the job up in steps 3, 6 and 9: 1.50 ms of"))
      << AllSaid(answer);
}

// Twelve steps over gloo: each rank computes for `compute` ms and reduces with all others in 1 ms.
ReportSet AnswerToHosts(int ranks, const std::function<double(int rank, int step)>& compute) {
  std::vector<CpuTrace> traces;
  for (int rank = 0; rank < ranks; ++rank) traces.emplace_back(rank, "[]", 1, ranks);
  double at = 0;
  for (int step = 1; step <= 12; ++step) {
    double last = 0;
    for (int rank = 0; rank < ranks; ++rank) last = std::max(last, at + compute(rank, step));
    for (int rank = 0; rank < ranks; ++rank) {
      const double computed = at + compute(rank, step);
      traces[static_cast<size_t>(rank)]
          .Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, last + 1.1 - at)
          .Add("cpu_op", "aten::linear", at + 0.05, computed - at - 0.05)
          .Add("cpu_op", "c10d::allreduce_", computed + 0.01, 0.05)
          .Add("user_annotation", "gloo:all_reduce", computed + 0.02, last + 0.98 - computed, 2,
               R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    at = last + 1.1;
  }
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < ranks; ++rank)
    paths.push_back(
        folder.Write(fmt::format("rank{}.json", rank), traces[static_cast<size_t>(rank)].End()));
  return AnswerTo(paths);
}

// What else runs on their machine hits each rank in some steps.
TEST(WhatifOrigins, ProcessorsThatAreLateInScatteredStepsHoldNobodyUp) {
  for (const int ranks : {2, 4}) {
    const ReportSet answer = AnswerToHosts(ranks, [](int rank, int step) {
      if (rank == 0 && step == 7) return 14.0;
      const bool late = rank == 1 && (step == 3 || step == 4 || step == 9);
      return (late ? 15 : 10) + 0.01 * ((rank + step) % 3);
    });
    EXPECT_FALSE(AllSaid(answer).contains("holds the job up")) << AllSaid(answer);
    EXPECT_TRUE(RanksChanged(answer).empty());
  }
}

// Rank 1's own work takes 6 ms longer since step 7, but before, steps waited for rank 0: what else
// runs on a machine moves so from rank to rank. Steps must be longer by half of what it costs.
TEST(WhatifOrigins, AProcessorThatOnlyTakesOverFromAnotherHoldsNobodyUp) {
  for (const double before : {25.0, 14.0, 10.5}) {
    const ReportSet answer = AnswerToHosts(2, [&](int rank, int step) {
      const double varies = 0.01 * ((rank + step) % 3);
      return varies + (rank == 0 ? (step < 7 ? before : 10) : (step < 7 ? 10 : 16));
    });
    const bool is_why = before < 13;
    EXPECT_EQ(AllSaid(answer).contains("Rank 1 holds the job up since step 7"), is_why)
        << before << "\n"
        << AllSaid(answer);
    const auto changes = RanksChanged(answer);
    EXPECT_EQ(std::ranges::count(changes, "rank 1: all = before step 7"), is_why ? 1 : 0) << before;
  }
}

TEST(WhatifOrigins, ProcessorsThatAreLateAtRegularIntervalsAreTold) {
  for (const int ranks : {2, 4}) {
    const ReportSet answer = AnswerToHosts(ranks, [](int rank, int step) {
      return rank == 1 && step % 3 == 0 ? 15 : 10 + 0.01 * ((rank + step) % 3);
    });
    EXPECT_TRUE(answer.verdict.contains("Rank 1 is a straggler in every 3rd step"))
        << answer.verdict;
    EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 1: all = median of ranks"});
  }
}

// Which varies too much for the search for origins; yet the other waits for it in every step.
TEST(WhatifOrigins, TheRankThatOthersWaitForMostIsAlwaysAsked) {
  const std::vector<double> late = {31, 12, 55, 11, 70, 13, 42, 90, 12, 25};
  const ReportSet answer = AnswerToJob(DataParallel(
      2, [&](int rank, int step) { return rank == 0 ? late[static_cast<size_t>(step - 1)] : 10; }));
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 0: all = median of ranks"});
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 26.1e6, 0.2e6);
}

// Compute that varies hides it from the search for origins; yet what rank 1 does between two
// operators takes 59 ms longer since step 6, of which the job waits in two steps of five.
TEST(WhatifOrigins, ARankWhoseOwnTimeRisesIsAskedThoughStepsVary) {
  const std::vector<double> varies = {35, 87, 60, 20, 110, 45, 95, 15, 70, 120, 5};
  const auto compute = [&](int rank, int step) {
    return varies[static_cast<size_t>((3 * rank + 1) * step * 7) % varies.size()];
  };
  std::vector<CpuTrace> traces = {CpuTrace(0), CpuTrace(1)};
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const auto between = [&](int rank) { return rank == 1 && step >= 6 ? 60.0 : 1.0; };
    const auto takes = [&](int rank) { return 20 + compute(rank, step) + between(rank); };
    const double last = std::max(takes(0), takes(1));
    for (int rank = 0; rank < 2; ++rank) {
      const double second = at + 10 + compute(rank, step) + between(rank);
      traces[static_cast<size_t>(rank)]
          .Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, last + 1.1)
          .Add("cpu_op", "aten::linear", at, 10 + compute(rank, step))
          .Add("cpu_op", "aten::add_", second, 10)
          .Add("cpu_op", "c10d::allreduce_", second + 10.01, 0.05)
          .Add("user_annotation", "gloo:all_reduce", second + 10.02, at + last + 1 - second - 10.02,
               2, R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    at += last + 1.1;
  }
  const ScratchFolder folder;
  const ReportSet answer = AnswerTo(
      {folder.Write("rank0.json", traces[0].End()), folder.Write("rank1.json", traces[1].End())});
  EXPECT_TRUE(answer.verdict.starts_with("Rank 1 spends 59.0 ms more per step")) << answer.verdict;
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_EQ(first.Text("change"), "rank 1: before aten::add_ = before step 6");
  EXPECT_EQ(first.Int("since_step"), 6);
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 2 * 59e6 / 5, 0.1e6);
}

// Rank 1 runs kernels that no other rank runs: what it should take is not known.
TEST(WhatifOrigins, OfASlowRankWithoutPeersNothingIsPriced) {
  GpuJob job(3);
  const std::vector<int> all = {0, 1, 2};
  for (int step = 1; step <= 10; ++step) {
    const double at = 32 * step, last = at + 30;
    job.Step(step, at, last + 1.1);
    for (const int rank : all) {
      const double computed = at + (rank == 1 ? 30 : 10) - 0.01 * ((rank + step) % 3);
      for (int i = 0; i < 4; ++i) {
        const double part = (computed - at - 0.05) / 4, begin = at + 0.05 + i * part;
        job.Kernel(rank, fmt::format("gemm_{}", rank == 1 ? i : 0), begin, begin + part, 7);
      }
      job.Kernel(rank, "ncclDevKernel_AllReduce", computed + 0.001, last + 1, 7,
                 GpuJob::AllReduce("dp", all));
    }
  }
  const ReportSet answer = AnswerToJob(job);
  EXPECT_TRUE(RanksChanged(answer).empty());
  const Phrase headline = ReportOf(answer, "whatif").headline;
  EXPECT_TRUE(headline.str().ends_with(
      "The others wait most for rank 1, which takes longer itself; what it should take is not "
      "known, since no other rank does the same work."))
      << headline.str();
}

// The excess of one hides that of the other in some steps.
TEST(WhatifOrigins, OfTwoRanksThatAreLateTheExcessOfEachIsTold) {
  const ReportSet answer = AnswerToJob(DataParallel(6, [](int rank, int step) {
    return rank == 1 || rank == 4 ? (step < 5 ? 10 : 14) : 10 + 0.01 * ((rank + step) % 3);
  }));
  const std::string said = AllSaid(answer);
  EXPECT_TRUE(said.contains("Ranks 1 and 4 together hold the job up since step 5")) << said;
  EXPECT_TRUE(
      said.contains("the own work of ranks 1 and 4 takes 3.98 ms more per step since step 5 "
                    "than on 4 ranks with the same work, most of it in gemm"))
      << said;
}

// Rank 3, which was not recorded, comes 6 ms later from step 5 on: that is no slow link.
TEST(WhatifOrigins, AnAbsentRankOfTheOnlyGroupIsNoSlowLink) {
  const GpuJob job = DataParallel(
      4, [](int rank, int step) { return rank == 3 && step >= 5 ? 16 : 10 + 0.01 * (step % 3); });
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < 3; ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), job.Of(rank)));
  const auto answer = Ask(paths);
  ASSERT_TRUE(answer);
  for (const Row& row : RowsOf(*answer, "whatif", "changes")) {
    if (row.Text("change") == "link: x2") {
      EXPECT_LT(row.Int("saved"), 600'000) << "a transfer takes 1 ms";
    }
  }
  EXPECT_FALSE(AllSaid(*answer).contains("Transfers of group")) << AllSaid(*answer);
}

// Rank 3 comes 12 ms later from step 4 on, and a transfer takes 8 ms: few steps, and no collective
// of three times its length, tell that. Whether it was not recorded or left out.
TEST(WhatifOrigins, ATransferMayBeAWaitForAnAbsentRank) {
  GpuJob job(4);
  double at = 0;
  for (int step = 1; step <= 6; ++step) {
    const double last = at + (step < 4 ? 10 : 22), end = last + 8.1;
    job.Step(step, at, end);
    for (int rank = 0; rank < 4; ++rank) {
      const double computed = rank == 3 ? last : at + 10;
      job.Kernel(rank, "gemm", at + 0.05, computed, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", computed + 0.001, last + 8, 7,
                 GpuJob::AllReduce("dp", {0, 1, 2, 3}, 10'000'000));
    }
    at = end;
  }
  const ScratchFolder folder;
  std::vector<std::string> paths = job.WriteTo(folder);
  const auto left_out = Ask(paths, {.ranks = {0, 1, 2}});
  paths.pop_back();
  const auto not_recorded = Ask(paths);
  ASSERT_TRUE(left_out && not_recorded);
  EXPECT_TRUE(left_out->verdict.contains("rank 3 was left out")) << left_out->verdict;
  EXPECT_TRUE(not_recorded->verdict.contains("rank 3 has no trace")) << not_recorded->verdict;
  for (const ReportSet& answer : {*left_out, *not_recorded}) {
    const std::string said = AllSaid(answer);
    EXPECT_FALSE(said.contains("Transfers of group")) << said;
    EXPECT_TRUE(answer.verdict.starts_with(
        "Ranks 0 to 2 wait together up to 12.0 ms per step since step 4 in collectives of "
        "groups where rank 3 "))
        << answer.verdict;
    EXPECT_TRUE(said.contains("rank 3 may be late: only its trace would tell")) << said;
    for (const Row& row : RowsOf(answer, "whatif", "changes"))
      EXPECT_FALSE(row.Text("change").starts_with("link dp")) << row.Text("change");
  }
}

// Three pairs of ranks, each of which reduces in 1 ms, the second in 4 ms from step 6 on; then all
// reduce. Nobody is late.
TEST(WhatifOrigins, AGroupWhoseTransfersAreSlowIsNamed) {
  GpuJob job(6);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const double slow = step < 6 ? 1 : 4, end = at + 10 + slow + 1.2;
    job.Step(step, at, end);
    for (int rank = 0; rank < 6; ++rank) {
      const int pair = rank / 2;
      const double reduced = at + 10 + (pair == 1 ? slow : 1);
      job.Kernel(rank, "gemm", at + 0.05, at + 10, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", at + 10.001, reduced, 7,
                 GpuJob::AllReduce(fmt::format("tp_{}", pair), {2 * pair, 2 * pair + 1}));
      job.Kernel(rank, "ncclDevKernel_AllReduce", reduced + 0.001, end - 0.1, 7,
                 GpuJob::AllReduce("dp", {0, 1, 2, 3, 4, 5}, 99));
    }
    at = end;
  }
  const ReportSet answer = AnswerToJob(job);
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>());
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_EQ(first.Text("change"), "link tp_1: x4.0");
  EXPECT_EQ(first.Int("since_step"), 6);
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 3e6, 0.1e6);
  EXPECT_TRUE(answer.verdict.contains(
      "Transfers of group tp_1 (ranks 2 and 3) take 4.0 times as long as on 2 groups alike since "
      "step 6"))
      << answer.verdict;
}

// Of two ranks, one computes 12 instead of 10 ms: from step 6 on, or always.
TEST(WhatifOrigins, TheSlowerOfTwoDevicesIsNamed) {
  for (const int since : {6, 1}) {
    GpuJob job(2);
    double at = 0;
    for (int step = 1; step <= 10; ++step) {
      const double slow = step < since ? 10 : 12, end = at + slow + 2;
      job.Step(step, at, end);
      for (int rank = 0; rank < 2; ++rank) {
        const double computed = at + (rank == 1 ? slow : 10 + 0.01 * (step % 3));
        job.Kernel(rank, "gemm", at + 0.02, computed, 7);
        job.Kernel(rank, "ncclDevKernel_AllReduce", computed + 0.01, end - 0.02, 7,
                   GpuJob::AllReduce("dp", {0, 1}));
      }
      at = end;
    }
    const ReportSet answer = AnswerToJob(job);
    EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 1: all = median of ranks"});
    const Row first = RowsOf(answer, "whatif", "changes").front();
    EXPECT_NEAR(static_cast<double>(first.Int("saved")), 2e6, 0.1e6) << since;
    if (since > 1) {
      EXPECT_EQ(first.Int("since_step"), since);
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::whatif_origins_test
