// Tests all-reduces and gaps between steps of real traces against a separate reading of the files:
// unions over their kernels, by the step that a kernel's launch lies in.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::real_steps_test {
namespace {

using RealSteps = SharedDataTest;

// Data parallel training reduces each parameter once: the messages of a step tell their number,
// here that of ResNet-50.
TEST_F(RealSteps, AllReducesTellTheParametersOfResnet50) {
  const ReportSet answer = AnswerTo({Shared("traces/hta/nccl")});
  EXPECT_EQ(MetricOf(answer, "allreduce_check", "parameters"), Cell(int64_t{25'557'032}));
  EXPECT_EQ(MetricOf(answer, "allreduce_check", "calls"), Cell(int64_t{5}));
  constexpr int64_t kMeasured = 11'950'271 + 12'261'533 + 22'550'355;  // of steps 4 to 6
  EXPECT_EQ(MetricOf(answer, "allreduce_check", "measured"), Cell(kMeasured / 3));
  constexpr int64_t kExposed = 10'125'012 + 10'501'113 + 18'819'009;
  EXPECT_EQ(MetricOf(answer, "allreduce_check", "exposed"), Cell(kExposed / 3));
  for (const Row& row : RowsOf(answer, "allreduce_check", "messages")) {
    EXPECT_EQ(row.Text("phase"), "backward");
  }
}

// And of ResNet-18, on another maker's devices.
TEST_F(RealSteps, AllReducesTellTheParametersOfResnet18) {
  const ReportSet answer = AnswerTo({Shared("traces/torch2/mi300_resnet_act_checkpoint")});
  EXPECT_EQ(MetricOf(answer, "allreduce_check", "parameters"), Cell(int64_t{11'689'512}));
}

// Kernels of 2023 do not say how large their message is; the tensors of nccl:all_reduce do.
TEST_F(RealSteps, SizesOfOldAllReducesAreThoseOfTheirTensors) {
  const ReportSet answer = AnswerTo({Shared("traces/param/dlrm_8ranks")});
  std::vector<int64_t> sizes;
  for (const Row& row : RowsOf(answer, "allreduce_check", "messages")) {
    sizes.push_back(row.Int("bytes"));
  }
  std::ranges::sort(sizes);
  EXPECT_EQ(sizes, (std::vector<int64_t>{4 * 112, 4 * 226'960, 4 * 394'241}));
}

TEST_F(RealSteps, GapsAndWhatTheHostDoes) {
  const auto nccl = AnswerTo({Shared("traces/hta/nccl")});
  const auto gaps = RowsOf(nccl, "step_gaps", "gaps");
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].Int("step"), 5);
  EXPECT_EQ(gaps[0].Int("gap"), 6'285'387);
  EXPECT_EQ(gaps[0].Int("idle"), 6'285'387);
  EXPECT_EQ(gaps[1].Int("gap"), 6'199'405);

  const auto resnet = AnswerTo({Shared("traces/kineto/resnet50_workers0")});
  const auto loading = RowsOf(resnet, "step_gaps", "gaps");
  ASSERT_EQ(loading.size(), 10u);  // of six steps in each of two recordings
  for (const Row& row : loading) {
    EXPECT_EQ(row.Text("host_activity"),
              "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  }
  const auto& loads = ReportOf(resnet, "input_pipeline").findings;
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].place, 1);
  const auto of = [&](std::string_view analysis) {
    return std::ranges::count(loads[0].evidence, analysis, &Evidence::analysis);
  };
  for (const char* analysis : {"idle_time", "phases", "step_gaps", "critical_path"}) {
    EXPECT_EQ(of(analysis), 1) << analysis << ": one stall, one finding";
  }
}

}  // namespace
}  // namespace stepscope::testing::real_steps_test
