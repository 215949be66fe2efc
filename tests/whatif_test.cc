// Tests what a replay of all ranks says about jobs whose fault and its cost are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/shared_data.h"
#include "tests/support/demo_job.h"

namespace stepscope::testing::whatif_test {
namespace {

using Whatif = SharedDataTest;

// The changes of ranks, as the table names them.
std::vector<std::string> RanksChanged(const ReportSet& answer) {
  std::vector<std::string> ranks;
  for (const Row& row : RowsOf(answer, "whatif", "changes")) {
    if (row.Text("change").starts_with("rank")) ranks.push_back(row.Text("change"));
  }
  return ranks;
}

// Two stages of a pipeline: rank 0 computes, for as many ms as `first` says of the step (1 to 10),
// and sends; rank 1 receives, for as long as that takes. Then both compute for 6 ms.
class Pipeline {
 public:
  explicit Pipeline(const std::function<double(int)>& first) {
    double at = 0;
    for (int step = 1; step <= 10; ++step) {
      const double sent = at + first(step) + 1, end = sent + 6;
      for (int rank = 0; rank < 2; ++rank) {
        Event(rank, "user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at, 1, "");
        Event(rank, "cuda_runtime", "cudaDeviceSynchronize", at + 0.1, end - at - 0.11, 1, "");
      }
      launch_ = at;
      Kernel(0, "gemm", at + 0.02, sent - 1, 7, "");
      Kernel(0, "ncclDevKernel_SendRecv", sent - 1 + 0.01, sent, 20,
             Message("send", "Dst Rank", 1));
      Kernel(1, "ncclDevKernel_SendRecv", at + 0.02, sent, 20, Message("recv", "Src Rank", 0));
      Kernel(0, "wgrad", sent + 0.01, sent + 4, 7, "");
      Kernel(1, "gemm", sent + 0.01, sent + 4, 7, "");
      for (int rank = 0; rank < 2; ++rank) Kernel(rank, "adam", sent + 4.01, end - 0.02, 7, "");
      at = end;
    }
  }

  std::string Of(size_t rank) const {
    return fmt::format(
        R"({{"schemaVersion":1,"distributedInfo":{{"backend":"nccl","rank":{},"world_size":2}},"traceEvents":[{}]}})",
        rank, events_[rank]);
  }

 private:
  static std::string Message(std::string_view name, std::string_view other, int rank) {
    return fmt::format(
        R"(,"Collective name":"{}","Process Group Name":"pp","Process Group Ranks":"[0, 1]","Group size":2,"In msg nelems":9,"dtype":"Float","{}":{})",
        name, other, rank);
  }

  void Event(int rank, std::string_view category, std::string_view name, double start,
             double length, int track, std::string_view args) {
    std::string& events = events_[static_cast<size_t>(rank)];
    events += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        events.empty() ? "" : ",\n", category, name, track, 1e3 * start, 1e3 * length, args);
  }

  // All are launched at the begin of the step, which waits for the device at its end.
  void Kernel(int rank, std::string_view name, double start, double end, int stream,
              std::string_view args) {
    const int id = ++correlation_;
    launch_ += 0.002;
    Event(rank, "cuda_runtime", "cudaLaunchKernel", launch_, 0.001, 1,
          fmt::format(R"("correlation":{})", id));
    Event(rank, "kernel", name, start, end - start, stream,
          fmt::format(R"("device":0,"stream":{},"correlation":{}{})", stream, id, args));
  }

  std::array<std::string, 2> events_;
  int correlation_ = 0;
  double launch_ = 0;
};

ReportSet AnswerToPipeline(const std::function<double(int)>& first) {
  const ScratchFolder folder;
  const Pipeline job(first);
  auto answer = Ask({folder.Write("rank0.json", job.Of(0)), folder.Write("rank1.json", job.Of(1))});
  EXPECT_TRUE(answer);
  return answer.value_or(ReportSet{});
}

// No number is the same on both ends of a message, and each end names the other one.
TEST(WhatifInline, AStageThatBecameSlowIsTheOriginOfTheOthersWait) {
  const ReportSet answer = AnswerToPipeline([](int step) { return step < 6 ? 5 : 8; });
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 0 as before"});
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_EQ(first.Int("since_step"), 6);
  EXPECT_NEAR(static_cast<double>(first.Int("step_time")), 12e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 3e6, 0.1e6);
}

TEST(WhatifInline, AHealthyPipelineHasNoOrigin) {
  const ReportSet answer = AnswerToPipeline([](int step) { return 5 + 0.1 * (step % 3); });
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>());
  for (const Row& row : RowsOf(answer, "whatif", "replay"))
    EXPECT_LT(row.Real("error_ratio"), 0.01);
}

TEST(WhatifInline, OneRankAloneIsAnswered) {
  const ScratchFolder folder;
  const Pipeline job([](int) { return 5; });
  const auto answer = Ask({folder.Write("rank1.json", job.Of(1))});
  ASSERT_TRUE(answer);
  EXPECT_EQ(std::get<int64_t>(MetricOf(*answer, "whatif", "step_time")), 12'000'000);
}

// The step of the same job without a slow rank is what the replay says of it.
TEST(WhatifInline, ASlowRankIsWorthWhatTheJobWithoutItTakes) {
  const DemoOptions slow{.ranks = 4, .steps = 6, .slow_rank = 2, .slow_factor = 1.3, .layers = 6};
  DemoOptions healthy = slow;
  healthy.slow_rank = -1;
  DemoJob with, without;
  MakeDemoJob(slow, with);
  MakeDemoJob(healthy, without);
  EXPECT_EQ(RanksChanged(with.answer), std::vector<std::string>{"rank 2 as its peers"});
  EXPECT_EQ(RanksChanged(without.answer), std::vector<std::string>());
  const Row first = RowsOf(with.answer, "whatif", "changes").front();
  const auto truth =
      static_cast<double>(std::get<int64_t>(MetricOf(without.answer, "whatif", "step_time")));
  EXPECT_NEAR(static_cast<double>(first.Int("step_time")), truth, 0.03 * truth);
}

// dp 2 x pp 2 x tp 2: rank 3 takes 200 us more per block from step 2 on. Ranks 2 and 3 arrive last.
TEST_F(Whatif, ARankInAPipelineIsWhereLatenessBegan) {
  const ReportSet answer = AnswerTo({Shared("traces/planted_3d_small")});
  EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 3 as its peers"});
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
  for (const char* slow : {"ddp_py_1", "ddp_ln_1", "ddp_batch_1", "pipe_ln_1", "pipe_ln_2"}) {
    const ReportSet answer = AnswerTo({Shared(std::string("traces/real_gloo/") + slow)});
    EXPECT_EQ(RanksChanged(answer), std::vector<std::string>{"rank 1 as before"}) << slow;
    EXPECT_EQ(RowsOf(answer, "whatif", "changes").front().Int("since_step"), 9) << slow;
  }
}

}  // namespace
}  // namespace stepscope::testing::whatif_test
