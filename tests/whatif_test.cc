// Tests what a replay of all ranks says about jobs whose fault and its cost are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/shared_data.h"
#include "tests/support/demo_job.h"
#include "tests/support/gpu_job.h"
#include "tests/whatif_answer.h"

namespace stepscope::testing::whatif_test {
namespace {

using Whatif = SharedDataTest;

// Two stages of a pipeline: rank 0 computes, for as many ms as `first` says of the step (1 to 10),
// and sends; rank 1 receives, for as long as that takes. Then both compute for 6 ms. Of one step
// the send was lost.
GpuJob Pipeline(const std::function<double(int)>& first, int lost = 0) {
  GpuJob job(2);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const double sent = at + first(step) + 1, end = sent + 6;
    job.Step(step, at, end);
    job.Kernel(0, "gemm", at + 0.02, sent - 1, 7);
    if (step != lost) {
      job.Kernel(0, "ncclDevKernel_SendRecv", sent - 1 + 0.01, sent, 20,
                 GpuJob::Message("send", "Dst Rank", 1));
    }
    job.Kernel(1, "ncclDevKernel_SendRecv", at + 0.02, sent, 20,
               GpuJob::Message("recv", "Src Rank", 0));
    job.Kernel(0, "wgrad", sent + 0.01, sent + 4, 7);
    job.Kernel(1, "gemm", sent + 0.01, sent + 4, 7);
    for (int rank = 0; rank < 2; ++rank) job.Kernel(rank, "adam", sent + 4.01, end - 0.02, 7);
    at = end;
  }
  return job;
}

// dp 2 x tp 2: each rank computes for `first` ms, reduces with its tp peer (0 and 1, 2 and 3),
// computes for 8 ms, and reduces with its dp peer (0 and 2, 1 and 3). A reduction takes 1 ms.
GpuJob TensorAndDataParallel(const std::function<double(int rank, int step)>& first) {
  GpuJob job(4);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    std::array<double, 2> reduced{};  // when the tp groups have
    for (int rank = 0; rank < 4; ++rank) {
      double& both = reduced[static_cast<size_t>(rank / 2)];
      both = std::max(both, at + first(rank, step) + 1);
    }
    const double end = std::max(reduced[0], reduced[1]) + 8 + 1;
    job.Step(step, at, end + 0.1);
    for (int rank = 0; rank < 4; ++rank) {
      const int tp = rank / 2, dp = rank % 2;
      const double begun = at + first(rank, step), middle = reduced[static_cast<size_t>(tp)];
      job.Kernel(rank, "gemm", at + 0.05, begun, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", begun + 0.001, middle, 7,
                 GpuJob::AllReduce(fmt::format("tp_{}", tp), {2 * tp, 2 * tp + 1}));
      job.Kernel(rank, "mlp", middle + 0.001, middle + 8, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", middle + 8.001, end, 7,
                 GpuJob::AllReduce(fmt::format("dp_{}", dp), {dp, 2 + dp}));
    }
    at = end + 0.1;
  }
  return job;
}

ReportSet AnswerToPipeline(const std::function<double(int)>& first) {
  return AnswerToJob(Pipeline(first));
}

// No number is the same on both ends of a message, and each end names the other one.
TEST(WhatifInline, AStageThatBecameSlowIsTheOriginOfTheOthersWait) {
  const ReportSet answer = AnswerToPipeline([](int step) { return step < 6 ? 5 : 8; });
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 0: all = before step 6"});
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_EQ(first.Int("since_step"), 6);
  EXPECT_NEAR(static_cast<double>(first.Int("step_time")), 12e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 3e6, 0.1e6);
}

// That one message has no partner shifts no other.
TEST(WhatifInline, ALostEventLeavesOtherMessagesMatched) {
  const ReportSet answer =
      AnswerToJob(Pipeline([](int step) { return (step < 6 ? 5 : 8) + 0.01 * step; }, 3));
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 0: all = before step 6"});
  EXPECT_NEAR(static_cast<double>(RowsOf(answer, "whatif", "changes").front().Int("saved")), 3e6,
              0.2e6);
  const auto& notes = ReportOf(answer, "whatif").notes;
  const auto note = std::ranges::find(notes, "unmatched_messages", &Note::name);
  ASSERT_NE(note, notes.end());
  EXPECT_EQ(note->count, 1);
}

TEST(WhatifInline, AHealthyPipelineHasNoOrigin) {
  const ReportSet answer = AnswerToPipeline([](int step) { return 5 + 0.1 * (step % 3); });
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>());
  for (const Row& row : RowsOf(answer, "whatif", "replay"))
    EXPECT_LT(row.Real("error_ratio"), 0.01);
}

TEST(WhatifInline, OneRankAloneIsAnswered) {
  const ScratchFolder folder;
  const GpuJob job = Pipeline([](int) { return 5; });
  const auto answer = Ask({folder.Write("rank1.json", job.Of(1))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<int64_t>(MetricOf(*answer, "whatif", "step_time")), 12'000'000);
}

// Since step 6 one kernel takes 3 ms longer, and one of 5 ms is gone: steps are shorter than
// before.
TEST(WhatifInline, ARankAloneIsNotSlowerWhereItsStepsAreNot) {
  const ScratchFolder folder;
  GpuJob job(1);
  double at = 0;
  for (int step = 0; step < 14; ++step) {
    const double gemm = step < 6 ? 5 : 8, old = step < 6 ? 5 : 0;
    job.Step(step, at, at + gemm + old + 2);
    job.Kernel(0, "gemm", at + 1, at + 1 + gemm, 7);
    if (old > 0) job.Kernel(0, "old", at + 1 + gemm, at + 1 + gemm + old, 7);
    at += gemm + old + 2;
  }
  const auto answer = Ask({folder.Write("rank0.json", job.Of(0))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(RanksChanged(*answer), std::vector<std::string>());
}

std::vector<std::string> ChangesOf(const ReportSet& answer) {
  std::vector<std::string> changes;
  for (const Row& row : RowsOf(answer, "whatif", "changes")) changes.push_back(row.Text("change"));
  return changes;
}

class WhatifSet : public ::testing::Test {
 protected:
  static ReportSet With(const std::string& set) {
    return AnswerToJob(Job(), {{"whatif.set", set}});
  }
  static double StepWith(const std::string& set) {
    const ReportSet answer = With(set);
    return static_cast<double>(RowsOf(answer, "whatif", "changes").front().Int("step_time")) / 1e6;
  }
  // Steps of 12 ms, and of 15 ms since step 6.
  static GpuJob Job() {
    return Pipeline([](int step) { return step < 6 ? 5 : 8; });
  }
};

// 5 steps of 12 ms and 5 of 15 ms.
TEST_F(WhatifSet, AChangeOfTheUserComesFirst) {
  EXPECT_NEAR(StepWith("rank 0: all = before step 6"), 12, 0.1);
  EXPECT_NEAR(StepWith("rank 0: kernel gemm = before step 6"), 12, 0.1);
  EXPECT_NEAR(StepWith("rank 0: compute x0"), 13.5 - 8, 2);
  EXPECT_NEAR(StepWith("kernel adam: gone"), 13.5 - 1.98, 0.1);
  EXPECT_NEAR(StepWith("kernel adam: x0.5"), 13.5 - 0.99, 0.1);
  // Then rank 1 does not hold up the next step of rank 0, so that the first saves less.
  EXPECT_NEAR(StepWith("kernel wgrad: gone; kernel adam: gone"), 13.5 - 5.56, 0.1);
  EXPECT_NEAR(StepWith("link: x2"), 13.5 - 0.5, 0.1);
  EXPECT_NEAR(StepWith("link pp*: x2"), 13.5 - 0.5, 0.1);
}

TEST_F(WhatifSet, SeveralAreMadeTogetherAndEach) {
  const auto changes = ChangesOf(With("kernel adam: gone ; link: x4"));
  ASSERT_GE(changes.size(), 3u);
  EXPECT_EQ(changes[0], "kernel adam: gone; link: x4");
  EXPECT_EQ(changes[1], "kernel adam: gone");
  EXPECT_EQ(changes[2], "link: x4");
}

TEST_F(WhatifSet, WhatConcernsNothingIsAnError) {
  for (const char* set :
       {"kernel gem: gone", "rank 7: all = median of ranks", "rank 0: all = median of ranks",
        "link dp*: x2", "input: no wait", "host node4: all x0.5", "rank 0: host = before step 1"}) {
    const ReportSet answer = With(set);
    const auto& absent = ReportOf(answer, "whatif").absent;
    ASSERT_TRUE(absent) << set;
    EXPECT_TRUE(absent->what.contains(set)) << set;
  }
}

TEST_F(WhatifSet, ARankWithoutATraceIsAnError) {
  for (const char* set : {"ranks 2..99: all x0.5", "rank 99: all x0.5"}) {
    const ReportSet answer = AnswerToJob(Job(), {{"whatif.set", set}});
    EXPECT_TRUE(ReportOf(answer, "whatif").why.contains("no trace that takes part in the replay"))
        << ReportOf(answer, "whatif").why;
  }
}

TEST_F(WhatifSet, WhatCannotBeReadIsAnErrorWithAnExample) {
  for (const char* set : {"gemm x0.5", "kernel gemm: x-1", "kernel: gone", "rank one: all x2",
                          "rank 3: most x2", "link: x0", "rank 3: all = median", "weather: good"}) {
    const ScratchFolder folder;
    const auto answer = Ask(Job().WriteTo(folder), {.params = {{"whatif.set", set}}});
    ASSERT_FALSE(answer) << set;
    EXPECT_TRUE(answer.error().what.contains(set)) << answer.error().what;
    EXPECT_TRUE(answer.error().hint.contains("kernel *gemm*: x0.7"));
  }
}

// Rank 3 takes 10 ms more; rank 2, which waits for it, is last in the other group as well.
TEST(WhatifInline, WhoPassesLatenessOnIsNotBlamed) {
  const ReportSet answer = AnswerToJob(
      TensorAndDataParallel([](int rank, int step) { return rank == 3 && step >= 4 ? 15 : 5; }));
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 3: all = median of ranks"});
  EXPECT_NEAR(static_cast<double>(RowsOf(answer, "whatif", "changes").front().Int("saved")), 10e6,
              0.1e6);
  const auto ranks = RowsOf(answer, "stragglers", "ranks");
  EXPECT_EQ(ranks[0].Int("rank"), 3);
  EXPECT_GT(ranks[0].Real("score"), 0.99);
  EXPECT_EQ(ranks[0].Int("since_step"), 4);
  EXPECT_LT(ranks[1].Real("score"), 0.01);
  EXPECT_TRUE(AllSaid(answer).contains("rank 2 came last, too, only after waiting for others"))
      << AllSaid(answer);
  for (const Row& step : RowsOf(answer, "stragglers", "steps")) {
    if (step.Int("step") >= 4) {
      EXPECT_EQ(step.Int("rank"), 3);
    }
  }
  const auto chain = RowsOf(answer, "whatif", "chain");
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].Int("rank"), 3);
  EXPECT_EQ(chain[0].Text("event"), "gemm");
  EXPECT_EQ(chain[1].Int("rank"), 2);
  EXPECT_NEAR(static_cast<double>(chain[1].Int("waited")), 10e6, 0.1e6);
  EXPECT_EQ(chain[2].Int("rank"), 2);
}

// Mending one of two ranks that are as late saves nothing.
TEST(WhatifInline, TwoRanksThatAreAsLateAreNamedTogether) {
  const ReportSet answer = AnswerToJob(TensorAndDataParallel(
      [](int rank, int step) { return rank % 2 == 1 && step >= 4 ? 15 : 5; }));
  const auto changes = RanksChanged(answer);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_TRUE(changes[0].starts_with("ranks 1,3: ")) << changes[0];
  EXPECT_TRUE(AllSaid(answer).contains("Ranks 1 and 3 together hold the job up since step 4"))
      << AllSaid(answer);
}

// Rank 3 takes 10 ms more, and has no trace. Without their own first 5 ms the others still wait for
// it.
TEST(WhatifInline, ARankWithoutATraceComesWhenItDid) {
  const GpuJob job =
      TensorAndDataParallel([](int rank, int /*step*/) { return rank == 3 ? 15 : 5; });
  const ScratchFolder folder;
  std::vector<std::string> paths = job.WriteTo(folder);
  const auto all = Ask(paths, {.params = {{"whatif.set", "ranks 0..2: kernel gemm x0"}}});
  paths.pop_back();
  const auto three = Ask(paths, {.params = {{"whatif.set", "kernel gemm: gone"}}});
  ASSERT_TRUE(all && three);
  for (const auto& answer : {*all, *three}) {
    const Row first = RowsOf(answer, "whatif", "changes").front();
    EXPECT_NEAR(static_cast<double>(first.Int("step_time")), 25.1e6, 0.1e6);
    EXPECT_NEAR(static_cast<double>(first.Int("saved")), 0, 0.1e6);
  }
  const auto& notes = ReportOf(*three, "whatif").notes;
  const auto note = std::ranges::find(notes, "absent_last", &Note::name);
  ASSERT_NE(note, notes.end());
  EXPECT_EQ(note->count, 20) << "in both groups, ten times";
  EXPECT_EQ(RanksChanged(*three), std::vector<std::string>()) << "whose fault it is has no trace";
}

// A reduction takes 0.1 ms, and 1 ms for 100,000 elements; each step has two.
TEST(WhatifInline, LargerBucketsSaveWhatACallTakesBesideItsBytes) {
  GpuJob job(2);
  for (int step = 1; step <= 6; ++step) {
    const double at = 5.0 * step;
    job.Step(step, at, at + 5);
    for (int rank = 0; rank < 2; ++rank) {
      job.Kernel(rank, "gemm", at + 0.02, at + 3, 7);
      job.Kernel(rank, "ncclDevKernel_AllReduce", at + 3, at + 3.2, 7,
                 GpuJob::AllReduce("dp", {0, 1}, 10'000));
      job.Kernel(rank, "ncclDevKernel_AllReduce", at + 3.2, at + 4.9, 7,
                 GpuJob::AllReduce("dp", {0, 1}, 160'000));
    }
  }
  const ReportSet answer = AnswerToJob(job, {{"whatif.set", "buckets: x4"}});
  EXPECT_NEAR(static_cast<double>(RowsOf(answer, "whatif", "changes").front().Int("saved")),
              2 * 0.075e6, 0.01e6);
}

// Rank 1 takes 3 ms more since step 5, but receives only after 12 ms.
TEST(WhatifInline, ExcessOfARankThatWaitsIsWorthNothing) {
  GpuJob job(2);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const double late = step >= 5 ? 3 : 0, sent = at + 12, end = at + 14;
    job.Step(step, at, end);
    job.Kernel(0, "gemm", at + 0.02, sent - 1, 7);
    job.Kernel(0, "ncclDevKernel_SendRecv", sent - 1 + 0.01, sent, 20,
               GpuJob::Message("send", "Dst Rank", 1));
    job.Kernel(1, "loss", at + 0.02, at + 2 + late, 7);
    job.Kernel(1, "ncclDevKernel_SendRecv", at + 2.01 + late, sent, 7,
               GpuJob::Message("recv", "Src Rank", 0));
    job.Kernel(1, "adam", sent + 0.01, end - 0.02, 7);
    at = end;
  }
  const ReportSet answer = AnswerToJob(job);
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>());
}

TEST_F(Whatif, LinksByWhatTheyAreForAndFormulas) {
  const auto saved = [&](const std::string& set) {
    const ReportSet answer =
        Ask({Shared("traces/planted_3d_small")}, {.params = {{"whatif.set", set}}})
            .value_or(ReportSet{});
    return RowsOf(answer, "whatif", "changes").front().Int("saved");
  };
  EXPECT_GT(saved("link tp: x2"), 0);
  EXPECT_EQ(saved("link tp: x2"), saved("link tp*: x2"));
  EXPECT_GT(saved("microbatches: 8"), 0);
  EXPECT_LT(saved("microbatches: 2"), 0);
  EXPECT_EQ(saved("microbatches: 4"), 0) << "as it is";
  EXPECT_GT(saved("stage 1: compute x0.5"), 0);
}

// The step of the same job without a slow rank is what the replay says of it.
TEST(WhatifInline, ASlowRankIsWorthWhatTheJobWithoutItTakes) {
  const DemoOptions slow{.ranks = 4, .steps = 6, .slow_rank = 2, .slow_factor = 1.3, .layers = 6};
  DemoOptions healthy = slow;
  healthy.slow_rank = -1;
  DemoJob with, without;
  MakeDemoJob(slow, with);
  MakeDemoJob(healthy, without);
  EXPECT_EQ(RanksChanged(with.answer), std::vector<std::string>{"rank 2: all = median of ranks"});
  EXPECT_EQ(RanksChanged(without.answer), std::vector<std::string>());
  const Row first = RowsOf(with.answer, "whatif", "changes").front();
  const auto truth =
      static_cast<double>(std::get<int64_t>(MetricOf(without.answer, "whatif", "step_time")));
  EXPECT_NEAR(static_cast<double>(first.Int("step_time")), truth, 0.03 * truth);
}

// dp 2 x pp 2 x tp 2: rank 3 takes 200 us more per block from step 2 on. Ranks 2 and 3 arrive last.
TEST_F(Whatif, ARankInAPipelineIsWhereLatenessBegan) {
  const ReportSet answer = AnswerTo({Shared("traces/planted_3d_small")});
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 3: all = median of ranks"});
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_EQ(first.Int("since_step"), 2);
  // truth.json: step_spans of 7.107 ms, and 5.522 ms without the fault.
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 1.585e6, 0.01 * 1.585e6);
  for (const Row& row : RowsOf(answer, "whatif", "replay"))
    EXPECT_LT(row.Real("error_ratio"), 0.01);
}

// Two processes over gloo: the fault begins in step 9 on rank 1 (real_gloo/README.md).
TEST_F(Whatif, RealJobsOfTwoProcesses) {
  for (const char* healthy :
       {"ddp_none_1", "ddp_none_2", "ddp_none_3", "pipe_none_1", "pipe_none_2", "pipe_none_3"}) {
    const ReportSet answer = AnswerTo({Shared(std::string("traces/real_gloo/") + healthy)});
    EXPECT_EQ(RanksChanged(answer), std::vector<std::string>()) << healthy;
  }
  // Rank 1 is slow; from step 10 on the machine is busy, and all takes twice as long on both.
  EXPECT_EQ(RanksChanged(AnswerTo({Shared("traces/real_gloo/ddp_ln_3")})),
            std::vector<std::string>());
  for (const char* slow : {"ddp_py_1", "ddp_ln_1", "ddp_batch_1", "pipe_ln_1", "pipe_ln_2"}) {
    const ReportSet answer = AnswerTo({Shared(std::string("traces/real_gloo/") + slow)});
    EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 1: all = before step 9"})
        << slow;
    EXPECT_EQ(RowsOf(answer, "whatif", "changes").front().Int("since_step"), 9) << slow;
  }
}

}  // namespace
}  // namespace stepscope::testing::whatif_test
