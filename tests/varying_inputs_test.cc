// Tests that steps which do more, for their inputs are larger, are not told to be slow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::varying_inputs_test {
namespace {

using testing::CpuTrace;

// A service: batches drawn from 1 to 32, which take 2 ms per request, and in step `slow` 100 ms
// more. `python`: ms of a function before each batch, which is recorded if `stack`.
std::string Service(bool shapes, int slow = 0, double python = 0, bool stack = false) {
  constexpr int kBatches[] = {4, 32, 8, 12, 2, 30, 6, 4, 10, 1, 28, 6, 3, 14, 5, 31};
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  int step = 1;
  for (const int batch : kBatches) {
    const double start = at, took = 2.0 * batch + (step == slow ? 100 : 0);
    if (stack && python > 0) trace.Add("python_function", "run.py(7): normalize", at + 0.5, python);
    at += python + 1;
    if (stack)
      trace.Add("python_function", "torch/nn/modules/module.py(1791): _call_impl", at, took);
    trace.Add("cpu_op", "aten::addmm", at, took, 1,
              shapes ? fmt::format(R"("Input Dims":[[{},192],[192,192]])", batch) : "");
    at += took + 1;
    if (stack) trace.Add("python_function", "run.py(20): serve", start, at - start);
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step++), start, at - start);
  }
  return trace.End();
}

std::string Findings(const ReportSet& answer) {
  std::string all;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      all += finding.message + "\n";
      for (const Evidence& evidence : finding.evidence) all += evidence.message + "\n";
    }
  }
  return all;
}

TEST(VaryingInputs, StepsWithLargerOnesAreNotSlow) {
  const auto answer = testing::AskAbout(Service(true));
  ASSERT_TRUE(answer);
  const std::string all = Findings(*answer);
  EXPECT_TRUE(all.contains("Step time follows the sizes of inputs")) << all;
  EXPECT_FALSE(all.contains("the median step time,")) << all;
  EXPECT_FALSE(all.contains("took")) << all;
}

TEST(VaryingInputs, AStepThatTakesLongerThanItsInputsIsSlow) {
  const auto answer = testing::AskAbout(Service(true, 10));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(Findings(*answer).contains("Step 10 of rank 0 took")) << Findings(*answer);
}

TEST(VaryingInputs, WithoutShapesNothingIsSaidOfThem) {
  const auto answer = testing::AskAbout(Service(false));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(Findings(*answer).contains("inputs:")) << Findings(*answer);
}

// A frame is not new where the other run has no frames.
TEST(VaryingInputs, FunctionsThatOnlyOneRunRecordedAreNotNew) {
  const auto before = testing::AskAbout(Service(true));
  const auto after = testing::AskAbout(Service(true, 0, 30, true));
  ASSERT_TRUE(before && after);
  const ReportSet both = Compare(*before, *after);
  EXPECT_FALSE(Findings(both).contains("is new")) << Findings(both);
  EXPECT_TRUE(Findings(both).contains("normalize (run.py:7)")) << Findings(both);
}

}  // namespace
}  // namespace stepscope::varying_inputs_test
