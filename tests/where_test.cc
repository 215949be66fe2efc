// Tests that findings tell whose steps they are in, and which event takes the time, for those who
// show them: the heat map and the timeline of the page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::where_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::CpuTrace;
using testing::RowsOf;
using testing::ScratchFolder;

constexpr int kSteps = 12;

// ms that a rank spends in Python before its second operator.
using Late = std::function<double(int rank, int step)>;

// Steps of 60 ms and what the latest rank takes; `name`: what takes it. Before the first operator
// of a step where `at_start`.
// Asked alone, so that no other analysis tells the cause.
Result<ReportSet> AskAbout(std::string_view analysis, int ranks, const Late& late,
                           std::string_view category, std::string_view name,
                           bool at_start = false) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < ranks; ++rank) {
    CpuTrace trace(rank, "[]", 1, ranks);
    double start = 1;
    for (int step = 0; step < kSteps; ++step) {
      double latest = 0;
      for (int other = 0; other < ranks; ++other) latest = std::max(latest, late(other, step));
      const double own = late(rank, step), length = 60 + latest, first = at_start ? own : 0;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, length);
      trace.Add("python_function", "train.py(10): one_step", start, length - 0.01, 1,
                fmt::format(R"("Python id":{},"Python parent id":null)", 2 * step + 1));
      if (own > 0)
        trace.Add(
            category, name, start + (at_start ? 0.1 : 20.1), own - 0.2, 1,
            category == "python_function"
                ? fmt::format(R"("Python id":{},"Python parent id":{})", 2 * step + 2, 2 * step + 1)
                : "");
      trace.Add("cpu_op", "aten::mm", start + first, 20);
      trace.Add("cpu_op", "aten::add_", start + 20 + own, 30);
      trace.Add("cpu_op", "c10d::allreduce_", start + 50 + own, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", start + 50.1 + own, length - 50.2 - own, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      start += length;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  AnalyzeOptions options;
  options.only = {std::string(analysis)};
  return Ask(paths, options);
}

const Finding* FindingOf(const ReportSet& answer, std::string_view analysis,
                         std::string_view message) {
  for (const Report& report : answer.reports) {
    if (report.analysis != analysis) continue;
    for (const Finding& finding : report.findings) {
      if (finding.message.contains(message)) return &finding;
    }
  }
  return nullptr;
}

TEST(Where, StepsOfSeveralRanksThatSpendMoreAreRows) {
  const auto answer = AskAbout(
      "steps", 4, [](int rank, int) { return rank % 2 == 0 ? 40.0 : 0.0; }, "python_function",
      "prep.py(7): quantize");
  ASSERT_TRUE(answer);
  const Finding* finding = FindingOf(*answer, "steps", "Ranks 0 and 2 spend up to 40.0 ms more");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_EQ(finding->table, "rank_steps");
  EXPECT_EQ(finding->where.event.str(), "quantize (prep.py:7)");
  const auto rows = RowsOf(*answer, "steps", "rank_steps");
  ASSERT_EQ(rows.size(), 2u * kSteps);
  std::set<int64_t> ranks;
  for (const auto& row : rows) {
    ranks.insert(row.Int("rank"));
    EXPECT_NEAR(static_cast<double>(row.Int("time")), 40e6, 1e3);
  }
  EXPECT_EQ(ranks, (std::set<int64_t>{0, 2}));
}

TEST(Where, StragglersOfTheSameWorkAreNamed) {
  const auto answer = AskAbout(
      "stragglers", 4, [](int rank, int) { return rank % 2 == 0 ? 40.0 : 0.0; }, "python_function",
      "prep.py(7): quantize");
  ASSERT_TRUE(answer);
  const Finding* finding = FindingOf(*answer, "stragglers", "Ranks 0 and 2 are stragglers");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_EQ(finding->where.ranks, (std::vector<int64_t>{0, 2}));
  EXPECT_TRUE(ToJson(*answer).contains(R"("where": {"rank": null, "ranks": [)"));
}

TEST(Where, WhatHoldsTheDeviceUpBetweenStepsIsInTheStepsOfLongGaps) {
  const auto late = [](int rank, int step) {
    return rank == 1 && (step == 3 || step == 7 || step == 8) ? 200.0 + step : 0.0;
  };
  const auto answer = AskAbout("step_gaps", 2, late, "python_function", "pack.py(6): repair", true);
  ASSERT_TRUE(answer);
  const Finding* finding = FindingOf(*answer, "step_gaps", "Between steps, rank 1 idles for");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_EQ(finding->where.ranks, std::vector<int64_t>{1});
  EXPECT_EQ(finding->where.steps, (std::vector<int64_t>{3, 7, 8}));
  EXPECT_EQ(finding->where.event.str(), "repair (pack.py:6)");
}

TEST(Where, LongGapsThatRecurAreToldWithTheirSteps) {
  const auto late = [](int, int step) { return step % 4 == 3 ? 180.0 : 0.0; };
  const auto answer =
      AskAbout("step_gaps", 1, late, "python_function", "pantry.py(16): clear_shelf", true);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(
      AllSaid(*answer).contains(", in clear_shelf (pantry.py:16) in every 4th step (3, 7 and 11)."))
      << AllSaid(*answer);
}

TEST(Where, GapsOfAllStepsAreOfNone) {
  const auto answer = AskAbout(
      "step_gaps", 2, [](int rank, int) { return rank == 1 ? 60.0 : 0.0; }, "python_function",
      "pack.py(6): repair", true);
  ASSERT_TRUE(answer);
  const Finding* finding = FindingOf(*answer, "step_gaps", "Between steps, rank 1 idles for");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_TRUE(finding->where.ranks.empty());
  EXPECT_TRUE(finding->where.steps.empty());
  EXPECT_EQ(finding->where.event.str(), "repair (pack.py:6)");
}

TEST(Where, ACompilerWithoutStacksIsTheLongestOfItsRanges) {
  const auto answer = AskAbout(
      "overview", 2, [](int, int step) { return step % 4 == 1 ? 300.0 : 0.0; }, "cpu_op", "dynamo");
  ASSERT_TRUE(answer);
  const Finding* finding =
      FindingOf(*answer, "overview", "Compilation in every 4th step (1, 5 and 9) is");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_EQ(finding->where.event.str(), "dynamo");
}

TEST(Where, AnInputWaitIsTheStage) {
  constexpr std::string_view kNext = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  const auto answer = AskAbout(
      "input_pipeline", 2, [](int rank, int) { return rank == 1 ? 90.0 : 1.0; }, "user_annotation",
      kNext, true);
  ASSERT_TRUE(answer);
  const Finding* finding = FindingOf(*answer, "input_pipeline", "Input wait is");
  ASSERT_NE(finding, nullptr) << AllSaid(*answer);
  EXPECT_EQ(finding->cause.rank, 1);
  EXPECT_EQ(finding->where.event.str(), kNext);
}

}  // namespace
}  // namespace stepscope::where_test
