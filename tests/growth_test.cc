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

// Three ranks compute for 10 ms and reduce in each step. Before, rank 1 walks through a list in its
// function `leak` for as many ms as `list` says of the step (from 1); the others wait.
std::string VerdictOn(const std::function<double(int)>& list, int steps = 12) {
  std::vector<CpuTrace> ranks = {CpuTrace(0, "[]", 1, 3), CpuTrace(1, "[]", 1, 3),
                                 CpuTrace(2, "[]", 1, 3)};
  double at = 0;
  for (int step = 1; step <= steps; ++step) {
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

TEST(GrowingRank, AJumpThatEndsIsInItsSteps) {
  for (const bool noise : {false, true}) {
    const std::string verdict = VerdictOn(
        [&](int step) { return (step >= 8 && step <= 22 ? 14 : 2) + (noise ? Noise(step) : 0); },
        24);
    EXPECT_TRUE(verdict.contains(" in steps 8 to 22: ")) << verdict;
    EXPECT_TRUE(verdict.contains("ank 1 spends ")) << verdict;
    EXPECT_TRUE(verdict.contains("leak (train.py:20)")) << verdict;
    EXPECT_FALSE(verdict.contains("since step 8")) << verdict;
  }
}

TEST(GrowingRank, AConstantIsInEveryStep) {
  for (const bool noise : {false, true}) {
    const std::string verdict = VerdictOn([&](int step) { return 8 + (noise ? Noise(step) : 0); });
    EXPECT_TRUE(verdict.contains("in every recorded step (1 to 12)")) << verdict;
    EXPECT_FALSE(verdict.contains("grow")) << verdict;
  }
}

// One rank computes for 130 ms, less or more by what else runs, and scores a history that grows.
std::string SaidOfOneRank(const std::function<double(int)>& history,
                          const std::function<double(int)>& computes) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const double all = computes(step) + history(step);
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, all);
    trace.Add("python_function", "train.py(9): train_step", at, all);
    trace.Add("cpu_op", "aten::linear", at, computes(step));
    trace.Add("python_function", "train.py(55): score_history", at + computes(step), history(step));
    at += all;
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  return answer ? testing::AllSaid(*answer) : "";
}

TEST(GrowingRank, AFunctionThatGrowsIsNamedOnOneRankToo) {
  const std::string said = SaidOfOneRank([](int step) { return 4.0 * step; },
                                         [](int step) { return 130 + 5 * Noise(step); });
  EXPECT_TRUE(
      said.contains("score_history (train.py:55) grows by 4.00 ms per step: from 4.00 ms to "
                    "40.0 ms over 10 steps."))
      << said;
  EXPECT_FALSE(said.contains("Steps grow")) << said;
}

// As recorded on a busy machine.
TEST(GrowingRank, AFunctionGrowsThoughNotByALine) {
  const std::vector<double> history = {2.6, 11.5, 12.4, 13.1, 26.3, 26.9, 27.9, 24.7, 37.5, 38.4};
  const std::vector<double> rest = {134, 134, 123, 141, 140, 144, 157, 153, 140, 152};
  const std::string said =
      SaidOfOneRank([&](int step) { return history[static_cast<size_t>(step - 1)]; },
                    [&](int step) { return rest[static_cast<size_t>(step - 1)]; });
  EXPECT_TRUE(said.contains("score_history (train.py:55) grows by 3.28 ms per step")) << said;
}

// A jump, a function that takes as long all along, and all of a step together, as under load.
TEST(GrowingRank, NothingElseIsAFunctionThatGrows) {
  const auto even = [](int) { return 130.0; };
  for (const std::string& said :
       {SaidOfOneRank([](int step) { return step < 6 ? 4.0 : 40.0; }, even),
        SaidOfOneRank([](int) { return 20.0; }, [](int step) { return 130 + 5 * Noise(step); }),
        SaidOfOneRank([](int step) { return 10.0 * step; }, [](int step) { return 50.0 * step; })})
    EXPECT_FALSE(said.contains("score_history (train.py:55) grows")) << said;
}

// Steps that vary, and are longer from step to step since rank 1 has more between operators.
TEST(GrowingRank, AJumpIsNotToldAsGrowthOfAllSteps) {
  const std::vector<double> last = {100, 125, 120, 145, 160, 185, 215, 205, 235, 280};
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  double at = 0;
  for (int step = 1; step <= 10; ++step) {
    const double all = last[static_cast<size_t>(step - 1)];
    for (int rank = 0; rank < 2; ++rank)
      ranks[static_cast<size_t>(rank)].Step(step, at, rank == 1 && step >= 6 ? 90 : 1, at + all);
    at += all;
  }
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("rank0.json", ranks[0].End()), folder.Write("rank1.json", ranks[1].End())});
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(said.contains("since step 6")) << said;
  EXPECT_FALSE(said.contains("Steps grow")) << said;
}

TEST(GrowingRank, AChangeOfStepTimeIsNotBesideNothingStandsOut) {
  std::vector<CpuTrace> ranks = {CpuTrace(0), CpuTrace(1)};
  double at = 0;
  for (int step = 1; step <= 12; ++step) {
    const double all = (step < 8 ? 70 : 34) + 0.1 * (step % 3);
    for (CpuTrace& trace : ranks) trace.Step(step, at, 0.1, at + all);
    at += all;
  }
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("rank0.json", ranks[0].End()), folder.Write("rank1.json", ranks[1].End())});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("before step 8 and")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("stands out")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::growing_rank_test
