// Tests what is said where a replay is not what was recorded: something that no record shows delays
// kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/gpu_job.h"
#include "tests/whatif_answer.h"

namespace stepscope::testing::whatif_error_test {
namespace {

constexpr int kSteps = 16;

// One rank multiplies for 2 ms, and for 2 ms more after a pause that nothing explains.
ReportSet AnswerWith(const std::function<double(int step)>& pause, const std::string& set = "") {
  GpuJob job(1);
  double at = 10;
  for (int step = 1; step <= kSteps; ++step) {
    const double second = at + 2.2 + pause(step), end = second + 2.1;
    job.Step(step, at, end);
    job.Kernel(0, "gemm", at + 0.2, at + 2.2, 7);
    job.Kernel(0, "gelu", second, second + 2, 7);
    at = end + 0.01;
  }
  return AnswerToJob(job, {{"whatif.set", set}});
}

TEST(WhatifError, AReplayThatIsFarOffTellsNoPrices) {
  for (const std::string set : {"", "kernel gemm: gone"}) {
    const ReportSet answer =
        AnswerWith([](int step) { return step >= 6 && step % 2 == 0 ? 6.0 : 0.003; }, set);
    const Report& whatif = ReportOf(answer, "whatif");
    EXPECT_EQ(whatif.status, Status::kPartial);
    EXPECT_TRUE(whatif.headline.str().contains("what changes would save is unknown: the replay is"))
        << whatif.headline;
    EXPECT_TRUE(whatif.why.str().contains("off in the mean step: over 10.0%")) << whatif.why;
    EXPECT_TRUE(whatif.findings.empty());
    const auto has = [&](std::string_view key) {
      return std::ranges::any_of(whatif.tables, [&](const Table& t) { return t.key == key; });
    };
    EXPECT_FALSE(has("changes"));
    EXPECT_FALSE(has("upper_bounds"));
    EXPECT_TRUE(has("replay"));
  }
}

TEST(WhatifError, OneStepThatIsFarOffIsInTheErrorOfAllPrices) {
  const ReportSet answer =
      AnswerWith([](int step) { return step == 9 ? 6.0 : 0.003; }, "kernel gemm: gone");
  const Row first = RowsOf(answer, "whatif", "changes").front();
  EXPECT_NEAR(static_cast<double>(first.Int("saved")), 2e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(first.Int("error")), 6e6 / kSteps, 0.05e6);
}

}  // namespace
}  // namespace stepscope::testing::whatif_error_test
