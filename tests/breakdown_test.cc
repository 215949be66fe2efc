// Tests where a step goes: parts add up, waits are apart, and what changed is before and since.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "report/columns.h"
#include "report/lookup.h"
#include "stepscope/demo.h"
#include "stepscope/session.h"
#include "tests/scratch.h"

namespace stepscope {
namespace {

using testing::ScratchFolder;

Result<ReportSet> AnalyzeDemo(const DemoOptions& options) {
  const ScratchFolder folder;
  if (const auto written = WriteDemo(folder.path() + "/job", options); !written)
    return std::unexpected(written.error());
  const std::string path = folder.path() + "/job";
  const auto session = Session::Open(std::span(&path, 1));
  if (!session) return std::unexpected(session.error());
  return session->Analyze({.only = {"breakdown"}});
}

int64_t PartOf(const ReportSet& answer, std::string_view key, std::string_view column) {
  const Table& parts = *FindTable(&answer.reports.front(), "parts");
  const ColumnOf part(parts, "key"), time(parts, column);
  for (const auto& row : parts.rows) {
    if (part.Text(row) == key) return time.Int(row);
  }
  return -1;
}

TEST(Breakdown, PartsOfEachRankAddUpToItsStepTime) {
  const auto answer = AnalyzeDemo({.ranks = 3, .steps = 4});
  ASSERT_TRUE(answer);
  const Table& ranks = *FindTable(&answer->reports.front(), "ranks");
  ASSERT_EQ(ranks.rows.size(), 3u);
  const size_t step_time = ColumnAt(ranks, "step_time");
  for (const auto& row : ranks.rows) {
    int64_t sum = 0;
    for (size_t c = step_time + 1; c < row.size(); ++c) sum += std::get<int64_t>(row[c]);
    // Each is a mean, rounded down.
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(std::get<int64_t>(row[step_time])),
                static_cast<double>(row.size()));
  }
}

TEST(Breakdown, TheOthersWaitForTheSlowRankSinceItIsSlow) {
  const auto answer =
      AnalyzeDemo({.ranks = 4, .steps = 8, .slow_rank = 1, .slow_factor = 1.5, .slow_since = 7});
  ASSERT_TRUE(answer);
  const Report& report = answer->reports.front();
  const auto since = std::ranges::find(report.metrics, "since_step", &Metric::key);
  ASSERT_NE(since, report.metrics.end());
  EXPECT_EQ(since->value, Cell(int64_t{7}));
  EXPECT_LT(20 * PartOf(*answer, "wait", "before"), PartOf(*answer, "wait", "since"));
  EXPECT_EQ(PartOf(*answer, "wait", "since"), PartOf(*answer, "wait", "time"));
  const Table& ranks = *FindTable(&report, "ranks");
  const ColumnOf rank(ranks, "rank"), wait(ranks, "wait");
  for (const auto& row : ranks.rows) {
    // The slow rank waits for no one.
    EXPECT_EQ(rank.Int(row) == 1, wait.Int(row) < 1'000'000) << rank.Int(row);
  }
}

TEST(Breakdown, TheMatrixHasEveryStepAndItsTypicalOnesAreTheMeans) {
  const auto answer =
      AnalyzeDemo({.ranks = 4, .steps = 8, .slow_rank = 1, .slow_factor = 1.5, .slow_since = 7});
  ASSERT_TRUE(answer);
  const Report& report = answer->reports.front();
  const Table& matrix = *FindTable(&report, "matrix");
  ASSERT_EQ(matrix.rows.size(), 4u * 8u);
  const ColumnOf rank(matrix, "rank"), step(matrix, "step"), time(matrix, "step_time"),
      own(matrix, "own"), wait(matrix, "wait"), typical(matrix, "typical");
  const size_t first = ColumnAt(matrix, "own") + 1, last = ColumnAt(matrix, "typical");
  int64_t sum = 0, waited = 0, steps = 0;
  for (const auto& row : matrix.rows) {
    int64_t parts = 0;
    for (size_t c = first; c < last; ++c) parts += std::get<int64_t>(row[c]);
    EXPECT_EQ(parts, time.Int(row));
    EXPECT_EQ(own.Int(row), time.Int(row) - wait.Int(row));
    if (step.Int(row) < 7 || typical.Text(row) != "yes") continue;
    EXPECT_EQ(rank.Int(row) == 1, wait.Int(row) < 1'000'000);
    sum += time.Int(row);
    waited += wait.Int(row);
    ++steps;
  }
  ASSERT_GT(steps, 0);
  const auto mean = std::ranges::find(report.metrics, "step_time", &Metric::key);
  EXPECT_EQ(mean->value, Cell(sum / steps));
  EXPECT_EQ(PartOf(*answer, "wait", "since"), waited / steps);
}

TEST(Breakdown, AHealthyJobHasNoBeforeAndHardlyWaits) {
  const auto answer = AnalyzeDemo({.ranks = 2, .steps = 6, .slow_rank = -1});
  ASSERT_TRUE(answer);
  const Table& parts = *FindTable(&answer->reports.front(), "parts");
  const ColumnOf before(parts, "before");
  for (const auto& row : parts.rows) EXPECT_EQ(before(row), Cell());
  EXPECT_LT(50 * PartOf(*answer, "wait", "time"), PartOf(*answer, "device_compute", "time"));
}

}  // namespace
}  // namespace stepscope
