// Tests what is told where not all steps are alike: processes that have nothing to do with one
// another, and loops in which only some steps are marked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::unlike_steps_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

const Finding* FindingWith(const ReportSet& answer, std::string_view words) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (finding.message.contains(words)) return &finding;
    }
  }
  return nullptr;
}

// Ends every `step` ms, of which the last 2 ms compute; `operators`: of so many, one after another.
std::string Loop(int rank, int steps, double step, int operators) {
  CpuTrace trace(rank);
  for (int s = 0; s < steps; ++s) {
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", s), s * step, step);
    for (int o = 0; o < operators; ++o)
      trace.Add("cpu_op", "aten::linear", s * step + step - 2 + 2.0 * o / operators,
                1.9 / operators);
  }
  return trace.End();
}

// As of two servers that were captured together: the slow one's steps are no exceptions among those
// of the other.
TEST(UnlikeSteps, ARankThatWaitsForNoOtherIsComparedWithItself) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", Loop(0, 80, 3, 1)),
                           folder.Write("rank1.json", Loop(1, 10, 24, 1))});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("Rank 1 spends 21.0 ms more per step (median)"))
      << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("left out")) << answer->verdict;
  EXPECT_EQ(FindingWith(*answer, "the median step time"), nullptr);
}

// Where the ranks run other operators, their steps are all that can be compared.
TEST(UnlikeSteps, OfRanksThatDoOtherWorkTheStepsAreCompared) {
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", Loop(0, 80, 3, 0)),
                           folder.Write("rank1.json", Loop(1, 10, 24, 3))});
  ASSERT_TRUE(answer);
  const Finding* finding = FindingWith(*answer, "takes 24.0 ms per step (median), rank 0 3.00 ms");
  ASSERT_NE(finding, nullptr) << answer->verdict;
  EXPECT_EQ(finding->per_step, 21'000'000);
}

// Steps of 100 ms, of which every fifth is marked, and in which rank 1 loads for 60 ms longer from
// this step on.
Result<ReportSet> AskOfFewMarked(int since) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    double at = 0;
    for (int s = 0; s < 60; ++s) {
      const double more = s >= since ? 60 : 0, begins = at + 20 + (rank == 1 ? more : 0);
      const double end = at + 40 + more;
      if (s % 5 == 0) trace.Add("user_annotation", fmt::format("ProfilerStep#{}", s), at, end - at);
      trace.Add("cpu_op", "aten::linear", begins, 9);
      trace.Add("user_annotation", "gloo:all_reduce", begins + 10, end - 5 - begins - 10, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      at = end;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  return Ask(paths);
}

TEST(UnlikeSteps, WhereFewAreMarkedThoseTellWhatAStepCosts) {
  const auto answer = AskOfFewMarked(0);
  ASSERT_TRUE(answer);
  const Finding* finding = FindingWith(*answer, "Rank 1");
  ASSERT_NE(finding, nullptr) << answer->verdict;
  EXPECT_NEAR(static_cast<double>(finding->per_step), 60e6, 2e6) << finding->message;
}

// The marked step in which the others take longer may be the next one: five numbers later.
TEST(UnlikeSteps, WhereFewAreMarkedTheRankBehindAChangeIsFound) {
  const auto answer = AskOfFewMarked(31);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1 ")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("exposed communication")) << answer->verdict;
}

}  // namespace
}  // namespace stepscope::unlike_steps_test
