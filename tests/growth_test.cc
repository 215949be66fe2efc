// Tests that a cost which grows on one rank is told as growth, and a sudden one by its step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::growing_rank_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

// Three ranks compute for 10 ms and reduce in each of 12 steps. Before, rank 1 walks through a list
// in its function `leak` for as many ms as `list` says of the step (1 to 12); the others wait.
std::string VerdictOn(const std::function<double(int)>& list) {
  std::vector<CpuTrace> ranks = {CpuTrace(0, "[]", 1, 3), CpuTrace(1, "[]", 1, 3),
                                 CpuTrace(2, "[]", 1, 3)};
  double at = 0;
  for (int step = 1; step <= 12; ++step) {
    const double end = at + 12 + list(step);
    for (int rank = 0; rank < 3; ++rank) {
      CpuTrace& trace = ranks[static_cast<size_t>(rank)];
      const double own = rank == 1 ? list(step) : 0;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      trace.Add("python_function", "train.py(9): train", at, end - at);
      if (own > 0) trace.Add("python_function", "train.py(20): leak", at, own);
      trace.Add("cpu_op", "aten::linear", at + own, 10);
      trace.Add("user_annotation", "gloo:all_reduce", at + own + 10, end - at - own - 10, 2);
    }
    at = end;
  }
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), ranks[rank].End()));
  const auto answer = Ask(paths);
  return answer ? answer->verdict : "";
}

// 0.9, -0.4, ...: the same in each run.
double Noise(int step) { return 0.01 * ((step * 7919) % 201 - 100); }

TEST(GrowingRank, ALineIsGrowthOfThatRank) {
  const std::string verdict = VerdictOn([](int step) { return 2.0 * (step - 1); });
  EXPECT_TRUE(
      verdict.contains("Steps of rank 1 grow by 2.00 ms per step: Python between operators from 0 "
                       "ns to 22.0 ms over "
                       "12 steps, in leak (train.py:20)."))
      << verdict;
  EXPECT_FALSE(verdict.contains("since step")) << verdict;
  EXPECT_FALSE(verdict.contains("median step time")) << verdict;
}

TEST(GrowingRank, ALineWithNoiseIsGrowthToo) {
  const std::string verdict = VerdictOn([](int step) { return 2.0 * step + Noise(step); });
  EXPECT_TRUE(verdict.contains("Rank 1 is a straggler, later by 2.13 ms per step")) << verdict;
  EXPECT_FALSE(verdict.contains("since step")) << verdict;
}

TEST(GrowingRank, AJumpIsSinceItsStepWithNoiseToo) {
  for (const int since : {4, 6, 9}) {
    for (const bool noise : {false, true}) {
      const std::string verdict =
          VerdictOn([&](int step) { return (step < since ? 2 : 14) + (noise ? Noise(step) : 0); });
      EXPECT_TRUE(verdict.contains(fmt::format("longer since step {}: rank 1", since))) << verdict;
      EXPECT_TRUE(verdict.contains(" longer between operators, in leak (train.py:20).")) << verdict;
      EXPECT_FALSE(verdict.contains("grow")) << verdict;
    }
  }
}

TEST(GrowingRank, AConstantIsInEveryStep) {
  for (const bool noise : {false, true}) {
    const std::string verdict = VerdictOn([&](int step) { return 8 + (noise ? Noise(step) : 0); });
    EXPECT_TRUE(verdict.contains("in every recorded step (1 to 12)")) << verdict;
    EXPECT_FALSE(verdict.contains("grow")) << verdict;
  }
}

}  // namespace
}  // namespace stepscope::growing_rank_test
