// Tests that calls which one run makes more often lead, and that sizes are compared without
// scalars.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stepscope/compare.h"

namespace stepscope::compare_calls_test {
namespace {

constexpr int64_t kMs = 1'000'000, kSteps = 10;

// Of each of two ranks; ms per step.
struct Kernel {
  const char* name;
  int64_t calls, time;
  const char* kind = "compute";
  const char* sizes = "[[8, 8]]";
  bool hidden = false;  // no step is longer for it
};

Column Key(const char* key) { return {key, key, Unit::kNone, Role::kKey}; }
Column Time(const char* key) { return {key, key, Unit::kNanoseconds}; }
Column Count(const char* key) { return {key, key, Unit::kCount}; }

void Add(ReportSet& answer, const char* analysis, Table table) {
  answer.reports.push_back({.analysis = analysis, .title = "A", .headline = "So."});
  answer.reports.back().tables.push_back(std::move(table));
}

int64_t Sum(const std::vector<Kernel>& kernels, const std::string& kind) {
  int64_t sum = 0;
  for (const Kernel& k : kernels) sum += k.kind == kind && !k.hidden ? k.time * kMs : 0;
  return sum;
}

// Steps of ten, or none that are known. Kernels that are listed twice have two sizes.
ReportSet RunOf(const std::vector<Kernel>& kernels, bool has_steps = true) {
  const int64_t compute = Sum(kernels, "compute"), waits = Sum(kernels, "communication");
  ReportSet answer;
  answer.run.ranks = 2;
  Report overview{.analysis = "overview", .title = "O", .headline = "So."};
  Table steps{
      .key = "steps",
      .columns = {Key("rank"), Key("step"), Time("time"), Time("compute"), Time("collectives")}};
  Table of_ranks{.key = "kernels",
                 .columns = {Key("rank"), Key("kind"), Key("name"), Count("count"), Time("sum")}};
  Table shapes{.key = "shapes",
               .columns = {Key("call"), Key("operator"), Count("calls"), Time("device_time"),
                           Key("sizes"), Key("kind")}};
  for (int64_t rank = 0; rank < 2; ++rank) {
    for (int64_t step = 0; step < kSteps; ++step) {
      const int64_t jitter = step % 2 * kMs;
      steps.rows.push_back({rank, step, compute + waits + jitter, compute + jitter, waits});
    }
    for (const Kernel& k : kernels)
      of_ranks.rows.push_back({rank, k.kind, k.name, k.calls * kSteps, k.time * kSteps * kMs});
  }
  for (const Kernel& k : kernels)
    shapes.rows.push_back({std::string(k.name) + " " + k.sizes, k.name, 2 * k.calls * kSteps,
                           2 * k.time * kSteps * kMs, k.sizes, k.kind});
  if (has_steps) {
    overview.metrics = {{"steps", "steps", 2 * kSteps, Unit::kCount},
                        {"step_time_mean", "mean step time", compute + waits, Unit::kNanoseconds}};
    overview.tables = {{.key = "step_time",
                        .columns = {Key("category"), Time("mean"), Key("kind"), Key("column")},
                        .rows = {{"compute", compute, "compute", "compute"},
                                 {"collectives", waits, "communication", "collectives"}}},
                       std::move(steps)};
  }
  answer.reports.push_back(std::move(overview));
  Add(answer, "kernel_breakdown", std::move(of_ranks));
  Add(answer, "shapes", std::move(shapes));
  return answer;
}

const Finding& First(const ReportSet& answer) { return answer.reports[0].findings.at(0); }

TEST(CompareCalls, MoreCollectivesLeadThoughComputeGrewByMore) {
  const auto answer =
      Compare(RunOf({{"mm", 4, 100}, {"gelu", 4, 40}, {"all_reduce", 2, 30, "communication"}}),
              RunOf({{"mm", 4, 180}, {"gelu", 4, 70}, {"all_reduce", 8, 120, "communication"}}));
  EXPECT_EQ(First(answer).message, "all_reduce runs 2 times per step before, 8 after.");
  EXPECT_EQ(First(answer).because, "all_reduce 30.0 ms before, 120 ms after per step");
  EXPECT_EQ(First(answer).per_step, 200 * kMs) << "what steps grew by";
  EXPECT_TRUE(answer.verdict.starts_with(
      "Mean step time rose from 170 ms to 370 ms (+117.3%): all_reduce runs 2 times per step "
      "before, 8 after."))
      << answer.verdict;
}

TEST(CompareCalls, MoreCollectivesBehindComputeAreNotWhyStepsTakeLonger) {
  const auto hidden = [](int64_t calls, int64_t time) {
    return Kernel{"all_reduce", calls, time, "communication", "[[8, 8]]", true};
  };
  const auto answer =
      Compare(RunOf({{"mm", 4, 100}, {"broadcast", 1, 5, "communication"}, hidden(2, 50)}),
              RunOf({{"mm", 4, 180}, {"broadcast", 1, 5, "communication"}, hidden(8, 400)}));
  for (const Finding& finding : answer.reports[0].findings)
    EXPECT_FALSE(finding.message.contains("all_reduce")) << finding.message;
  EXPECT_FALSE(answer.verdict.contains("all_reduce")) << answer.verdict;
}

TEST(CompareCalls, NewCallsLeadWhereStepsAreUnknownAndTheWaitForThemIsNone) {
  const auto answer = Compare(
      RunOf({{"mm", 4, 100}, {"all_reduce", 2, 30, "communication"}}, false),
      RunOf({{"mm", 4, 100}, {"all_reduce", 2, 90, "communication"}, {"unbind", 40, 50}}, false));
  EXPECT_EQ(First(answer).message, "unbind runs 0 times per rank before, 400 after.");
  for (const Finding& finding : answer.reports[0].findings)
    EXPECT_FALSE(finding.message.contains("all_reduce")) << finding.message;
}

TEST(CompareCalls, AKernelInPlaceOfAnotherIsNotMoreCalls) {
  const auto answer =
      Compare(RunOf({{"mm", 4, 100}, {"gelu", 4, 40}}), RunOf({{"mm", 4, 100}, {"silu", 4, 90}}));
  for (const Finding& finding : answer.reports[0].findings)
    EXPECT_FALSE(finding.message.contains("times per step")) << finding.message;
}

TEST(CompareCalls, OfAsManyCollectivesWaitsAreNoFindingWhereStepsAreAsLong) {
  const auto answer = Compare(RunOf({{"mm", 4, 100}, {"all_reduce", 2, 30, "communication"}}),
                              RunOf({{"mm", 4, 60}, {"all_reduce", 2, 70, "communication"}}));
  EXPECT_TRUE(answer.reports[0].findings.empty()) << First(answer).message;
}

TEST(CompareCalls, TheSameCallsOnTheSameSizesAreOneReason) {
  const std::vector<Kernel> before = {
      {"mm", 4, 100}, {"gelu", 4, 40}, {"norm", 4, 30}, {"div", 1, 2, "compute", "[[8], []]"}};
  // The optimizer divides by another scalar in each step, and collectives by the number of ranks.
  const auto answer = Compare(RunOf(before), RunOf({{"mm", 4, 280},
                                                    {"gelu", 4, 90},
                                                    {"norm", 4, 110},
                                                    {"div", 1, 6, "compute", "[[8], []]"}}));
  EXPECT_EQ(
      First(answer).message,
      "Compute grew by 314 ms per step: the same calls on the same shapes take 2.8× as long.");
}

TEST(CompareCalls, OtherSizesAreTheReasonWhereOperatorsRunAsOften) {
  const auto answer =
      Compare(RunOf({{"mm", 4, 100}, {"gelu", 4, 40}}),
              RunOf({{"mm", 2, 50}, {"mm", 2, 150, "compute", "[[16, 8]]"}, {"gelu", 4, 40}}));
  EXPECT_EQ(First(answer).message,
            "Compute grew by 100 ms per step: inputs have other sizes, as mm [[16, 8]] (0 times "
            "per step before, 2 after).");
}

// What was recorded of one rank only.
ReportSet OnlyRank(int64_t rank, ReportSet run) {
  run.run.ranks = 1;
  for (Report& report : run.reports) {
    for (Metric& metric : report.metrics) {
      if (metric.key == "steps") metric.value = kSteps;
    }
    for (Table& table : report.tables) {
      if (table.columns.front().key != "rank") continue;
      std::erase_if(table.rows, [&](const auto& row) { return row.front() != Cell(rank); });
    }
  }
  return run;
}

TEST(CompareCalls, TwoRanksOfOneRunMakeTheSameCalls) {
  const ReportSet run = RunOf({{"mm", 4, 100}, {"all_reduce", 8, 160, "communication"}});
  const auto answer = Compare(OnlyRank(0, run), OnlyRank(1, run));
  EXPECT_TRUE(answer.reports[0].findings.empty()) << First(answer).message;
  // A rank that only one of the runs has was not dropped.
  for (const Finding& finding : Compare(run, OnlyRank(1, run)).reports[0].findings)
    EXPECT_FALSE(finding.message.contains("0 after")) << finding.message;
}

}  // namespace
}  // namespace stepscope::compare_calls_test
