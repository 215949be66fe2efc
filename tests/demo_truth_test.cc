// Tests analyses of the demo job against its ground truth: two programs that
// share no code, one that knows what it planted and one that has to find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "facts/collectives/collectives.h"
#include "facts/collectives/split.h"
#include "facts/derived/operators/recording_flops.h"
#include "facts/facts.h"
#include "session/load.h"
#include "tests/support/demo_job.h"

namespace stepscope::testing::demo_truth_test {
namespace {

TEST(DemoTruth, EveryNumberIsFoundToTheNanosecond) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 4, .steps = 3, .layers = 6}, job));
  const auto ranks = RowsOf(job.answer, "temporal_breakdown", "ranks");
  const auto overlap = RowsOf(job.answer, "comm_overlap", "ranks");
  const auto steps = RowsOf(job.answer, "temporal_breakdown", "steps");
  ASSERT_EQ(ranks.size(), 4u);
  ASSERT_EQ(steps.size(), 12u);
  size_t step = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const auto& truth = job.truth.at("ranks").at(r);
    ExpectSame(truth, ranks[r], {"rank", "span", "busy", "idle", "compute"});
    ExpectSame(truth, overlap[r], {"communication", "overlapped", "exposed"});
    EXPECT_EQ(truth.at("gpu_events").get<int64_t>(), job.answer.run.files[r].gpu_events);
    EXPECT_EQ(truth.at("events").get<int64_t>(), job.answer.run.files[r].events);
    for (const auto& step_truth : truth.at("steps")) {
      ExpectSame(step_truth, steps[step++], {"step", "span", "busy", "idle", "compute"});
    }
  }
}

TEST(DemoTruth, EveryKernelIsCounted) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 2, .steps = 2, .slow_rank = 1, .layers = 4}, job));
  const auto kernels = RowsOf(job.answer, "kernel_breakdown", "kernels");
  size_t compared = 0;
  for (const auto& rank : job.truth.at("ranks")) {
    for (const auto& truth : rank.at("kernels")) {
      const auto same = [&](const Row& row) {
        return row.Text("name") == truth.at("name").get<std::string>() &&
               row.Int("rank") == rank.at("rank").get<int64_t>();
      };
      const auto row = std::ranges::find_if(kernels, same);
      ASSERT_NE(row, kernels.end()) << truth.at("name");
      ExpectSame(truth, *row, {"count", "sum"});
      ++compared;
    }
  }
  EXPECT_EQ(compared, kernels.size());
}

std::vector<std::string> FilesOf(const DemoJob& job) {
  std::vector<std::string> files;
  for (const InputFile& file : job.answer.run.files) {
    if (file.rank >= 0) files.push_back(file.path);
  }
  return files;
}

// Each step weighs by the time it was measured over, of all devices.
TEST(DemoTruth, TheMfuOfTheStepsIsThatOfTheRun) {
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob({.ranks = 3, .steps = 5, .slow_rank = 1}, job));
  const Wanted wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true);
  const LoadedRun run = LoadRun({FilesOf(job)}, wanted, {}).value();
  const Facts facts = DeriveFacts(run.names, run.ranks, *ParseSteps("all"), "all");
  std::map<int64_t, double> times;
  for (const RankActivity& rank : facts.ranks) {
    const RecordingFlops flops = MeasureFlops(facts, rank, 0);
    int64_t sum = 0;
    for (const StepFlops& step : flops.steps) {
      times[step.number] += static_cast<double>(step.time * flops.devices);
      sum += step.time;
    }
    EXPECT_EQ(sum, flops.time);
  }
  const auto report = std::ranges::find(job.answer.reports, "steps", &Report::analysis);
  const auto mfu = std::ranges::find(report->series, "mfu", &Series::key);
  ASSERT_NE(mfu, report->series.end());
  ASSERT_EQ(mfu->points.size(), 4u) << "the last step of five has no next one";
  double used = 0, time = 0;
  for (const auto& [step, ratio] : mfu->points) {
    used += ratio * times.at(static_cast<int64_t>(step));
    time += times.at(static_cast<int64_t>(step));
  }
  const auto whole = std::ranges::find(job.answer.reports, "flops", &Report::analysis);
  const auto metric = std::ranges::find(whole->metrics, "mfu", &Metric::key);
  ASSERT_NE(metric, whole->metrics.end());
  EXPECT_NEAR(used / time, std::get<double>(metric->value), 1e-12);
}

// Who would be blamed if clocks were taken as they are.
int64_t BlamedByRawClocks(const DemoJob& job) {
  const LoadedRun run = LoadRun({FilesOf(job)}, kRankActivityNeeds, {}).value();
  CollectiveFacts facts = MatchCollectives(run.names, run.ranks);
  for (RankCollectives& rank : facts.ranks) rank.clock = {.known = true};
  SplitCollectives(facts);
  return std::ranges::max(facts.ranks, {}, &RankCollectives::blame).rank;
}

// Clocks off by several ms hide a rank that is late by one: they are found, and so is the rank.
TEST(DemoTruth, TheSlowRankIsFoundOnClocksThatDiffer) {
  DemoJob job;
  const DemoOptions options{
      .ranks = 4, .steps = 4, .slow_rank = 3, .slow_factor = 1.05, .layers = 6};
  DemoOptions apart = options;
  apart.clock_spread = 20'000'000;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(apart, job));
  const auto& truth = job.truth.at("ranks");
  const auto ranks = RowsOf(job.answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 4u);
  int64_t furthest = 0;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const int64_t offset = truth.at(r).at("clock_offset").get<int64_t>();
    const int64_t ahead = offset - truth.at(0).at("clock_offset").get<int64_t>();
    EXPECT_NEAR(static_cast<double>(ranks[r].Int("clock_offset")), static_cast<double>(ahead),
                static_cast<double>(ranks[r].Int("clock_error")));
    furthest = std::max(furthest, std::abs(ahead));
  }
  EXPECT_GT(furthest, 2'000'000);
  EXPECT_NE(BlamedByRawClocks(job), 3) << "found by chance: take another seed";
  const auto suspects = RowsOf(job.answer, "stragglers", "ranks");
  EXPECT_EQ(suspects.at(0).Int("rank"), 3);
  EXPECT_GT(suspects.at(0).Real("score"), 0.9);
  EXPECT_EQ(suspects.at(0).Text("reason"), "slower compute kernels");

  // What is said of waiting is what is said where clocks agree.
  DemoJob agreeing;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, agreeing));
  const auto same = RowsOf(agreeing.answer, "collectives", "ranks");
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (const char* column : {"matched", "wait", "transfer", "as_last", "times_last"}) {
      EXPECT_EQ(ranks[r].Int(column), same[r].Int(column)) << column;
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::demo_truth_test
