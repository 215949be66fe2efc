// Tests what is said of one process whose steps take longer since one of them: by how much, in
// which function, and that this is one finding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::one_process_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kSteps = 12, kSince = 6;

// Steps of 20 ms, of 60 since one: `reproject` runs Python for 25 ms and operators for 15 then.
Result<ReportSet> Answer() {
  CpuTrace trace(0, "[]", 1, 1);
  double start = 1;
  for (int step = 1; step <= kSteps; ++step) {
    const bool late = step >= kSince;
    const double own = late ? 40 : 0, length = 20 + own;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, length);
    trace.Add("python_function", "train.py(9): train", start, length - 0.01);
    if (late) {
      trace.Add("python_function", "views.py(4): reproject", start + 1, own);
      trace.Add("cpu_op", "aten::linalg_qr", start + 26, 15);
    }
    trace.Add("cpu_op", "aten::linear", start + 1 + own, 18);
    start += length;
  }
  const ScratchFolder folder;
  return Ask({folder.Write("rank0.json", trace.End())});
}

TEST(OneProcess, AFunctionIsToldWithItsOperators) {
  const auto answer = Answer();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.str().starts_with(
      "Step time is 200.0% longer since step 6: rank 0 spends 40.0 ms longer in reproject "
      "(views.py:4), 25.0 ms of that between operators."))
      << answer->verdict.str();
}

TEST(OneProcess, WhatMakesItsStepsLongerIsOneFinding) {
  const auto answer = Answer();
  ASSERT_TRUE(answer);
  size_t worth_a_look = 0;
  for (const Report& report : answer->reports) {
    for (const Finding& finding : report.findings)
      worth_a_look += finding.severity != Severity::kLow ? 1 : 0;
  }
  EXPECT_EQ(worth_a_look, 1u) << AllSaid(*answer);
}

}  // namespace
}  // namespace stepscope::one_process_test
