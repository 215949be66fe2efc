// Runs of one job differ by noise, which is not a change; what runs do differently is told apart.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "report/compare_samples.h"
#include "stepscope/compare.h"

namespace stepscope::compare_noise_test {
namespace {

constexpr int64_t kMs = 1'000'000;

// A step of a rank, in ms.
struct Step {
  int64_t rank = 0, number = 0, compute = 0, input = 0;
  bool typical = true;
};

Column Key(const char* key) { return {key, key, Unit::kNone, Role::kKey}; }
Column Time(const char* key) { return {key, key, Unit::kNanoseconds}; }
Column Count(const char* key) { return {key, key, Unit::kCount}; }

Table Categories() {
  return {.key = "step_time",
          .columns = {Key("category"),
                      Time("mean"),
                      {"ratio", "ratio", Unit::kRatio},
                      Key("kind"),
                      Key("column")},
          .rows = {{"compute", int64_t{1}, 0.5, "compute", "compute"},
                   {"input", int64_t{1}, 0.5, "input", "input"}}};
}

ReportSet RunOf(const std::vector<Step>& steps) {
  Report overview{.analysis = "overview", .title = "O", .headline = "So."};
  Table table{.key = "steps",
              .columns = {Key("rank"),
                          Key("step"),
                          Time("time"),
                          Time("compute"),
                          Time("input"),
                          {"typical", "typical"}}};
  ReportSet answer;
  int64_t sum = 0;
  for (const Step& s : steps) {
    sum += (s.compute + s.input) * kMs;
    table.rows.push_back({s.rank, s.number, (s.compute + s.input) * kMs, s.compute * kMs,
                          s.input * kMs, s.typical ? "yes" : "no"});
    answer.run.ranks = std::max(answer.run.ranks, s.rank + 1);
  }
  const auto count = std::ssize(steps);
  overview.metrics = {{"steps", "steps", count, Unit::kCount},
                      {"step_time_mean", "mean step time", sum / count, Unit::kNanoseconds}};
  overview.tables = {Categories(), std::move(table)};
  answer.reports.push_back(std::move(overview));
  return answer;
}

// Steps of one rank that compute as long as this.
ReportSet Computes(const std::vector<int64_t>& times, int64_t input = 0) {
  std::vector<Step> steps;
  for (const int64_t time : times)
    steps.push_back({.number = std::ssize(steps), .compute = time, .input = input});
  return RunOf(steps);
}

void AddTable(ReportSet& answer, const char* analysis, Table table) {
  answer.reports.push_back({.analysis = analysis, .title = "A", .headline = "So."});
  answer.reports.back().tables.push_back(std::move(table));
}

comparison::Series Steps(const std::vector<double>& times) {
  comparison::Series steps;
  for (const double time : times) steps[{0, std::ssize(steps)}] = time;
  return steps;
}

TEST(CompareNoise, IsWhatMeansOfSuchStepsDifferBy) {
  using comparison::NoiseOf;
  // Standard deviation 1.054; Student's t of 18 degrees of freedom is 3.92 in one of a thousand.
  const auto ten = Steps({1, 3, 1, 3, 1, 3, 1, 3, 1, 3});
  const auto other = Steps({3, 1, 3, 1, 3, 1, 3, 1, 3, 1});
  EXPECT_NEAR(NoiseOf(ten, other), 3.92 * 1.054 * std::sqrt(0.2), 0.01);
  EXPECT_NEAR(NoiseOf(Steps({7}), ten), 4.78 * 1.054 * std::sqrt(1.1), 0.1)
      << "of the run that shows it";
  EXPECT_GE(NoiseOf(Steps({1, 3}), Steps({7})), 3 * std::numbers::sqrt2) << "few steps";
  EXPECT_EQ(NoiseOf(Steps({5}), Steps({9})), 0) << "unknown";
}

// Steps of one number have as much work in both runs.
TEST(CompareNoise, StepsThatVaryInBothRunsAreComparedWithEachOther) {
  const std::vector<int64_t> before = {30, 200, 60, 90, 30, 200, 90, 60, 30, 90, 60, 200};
  std::vector<int64_t> after;
  for (const int64_t time : before) after.push_back(time * 9 / 5 + (std::ssize(after) % 3) * 2);
  const auto answer = Compare(Computes(before), Computes(after));
  ASSERT_EQ(answer.reports[0].findings.size(), 1u) << answer.verdict;
  EXPECT_TRUE(answer.verdict.contains("Compute grew by")) << answer.verdict;
}

// Bursts of other processes, of 40 ms in a step of each rank, move means and their deviation, not
// medians.
TEST(CompareNoise, ARankIsToldAmongBursts) {
  const auto run = [](int64_t more) {
    std::vector<Step> steps;
    for (int64_t rank = 0; rank < 2; ++rank) {
      for (int64_t number = 0; number < 12; ++number) {
        const int64_t burst = number == (rank == 0 ? 3 : 7) ? 40 : 0;
        const int64_t varies = number * (rank + 1) % 3;
        steps.push_back({.rank = rank,
                         .number = number,
                         .compute = 60,
                         .input = 20 + varies + burst + (rank == 1 ? more : 0)});
      }
    }
    return RunOf(steps);
  };
  const auto slower = Compare(run(0), run(8));
  ASSERT_EQ(slower.reports[0].findings.size(), 1u) << slower.verdict;
  EXPECT_EQ(slower.reports[0].findings[0].message,
            "Rank 1 takes 8.00 ms more input per step than before.");
  const auto same = Compare(run(0), run(0));
  EXPECT_TRUE(same.reports[0].findings.empty()) << same.verdict;
  EXPECT_FALSE(same.verdict.contains("Within noise")) << same.verdict;
}

// Of few steps that vary much a difference may be noise, and is told as that.
TEST(CompareNoise, WhatARankTakesMoreWithinNoiseIsTold) {
  const auto run = [](int64_t first, int64_t more) {
    std::vector<Step> steps;
    for (int64_t rank = 0; rank < 2; ++rank) {
      for (int64_t number = 0; number < 6; ++number) {
        const int64_t varies = (first + number) * (rank == 0 ? 7 : 4) % 13;
        steps.push_back({.rank = rank,
                         .number = number,
                         .compute = 60,
                         .input = 20 + varies + (rank == 1 ? more : 0)});
      }
    }
    return RunOf(steps);
  };
  const auto answer = Compare(run(0, 0), run(3, 6));
  EXPECT_TRUE(answer.reports[0].findings.empty()) << answer.verdict;
  EXPECT_TRUE(
      answer.verdict.contains("Within noise, rank 1 differs most in input: 25.7 ms before, "
                              "32.8 ms after"))
      << answer.verdict;
}

TEST(CompareNoise, ARankIsComparedWithTheOthersInTheSameStep) {
  const std::vector<int64_t> work = {30, 200, 60, 90, 30, 200, 90, 60, 30, 90, 60, 200};
  const auto run = [&](int64_t more) {
    std::vector<Step> steps;
    for (int64_t rank = 0; rank < 2; ++rank) {
      for (const int64_t time : work)
        steps.push_back({rank, std::ssize(steps) % 12, time + rank * 2 + (rank == 0 ? more : 0)});
    }
    return RunOf(steps);
  };
  const auto answer = Compare(run(0), run(40));
  ASSERT_FALSE(answer.reports[0].findings.empty()) << answer.verdict;
  EXPECT_EQ(answer.reports[0].findings[0].message,
            "Rank 0 takes 40.0 ms more compute per step than before.");
  EXPECT_TRUE(answer.reports[0].findings[0].because.contains("rank 1 changed by 0 ns"))
      << answer.reports[0].findings[0].because;
}

// The same job twice on a busy machine.
TEST(CompareNoise, RunsThatDifferLessThanTheirStepsDidNotChange) {
  const auto answer = Compare(Computes({545, 753, 889, 847, 819, 1050, 904, 809, 1047, 774}),
                              Computes({682, 731, 498, 527, 649, 696, 450, 545, 634, 788}));
  EXPECT_EQ(answer.verdict,
            "No change beyond noise: mean step time is 844 ms before, 620 ms after (-26.5%), and "
            "steps of one run differ by 153 ms (std dev).");
  EXPECT_TRUE(answer.reports[0].findings.empty());
}

// A fault that begins in the middle is no noise.
TEST(CompareNoise, AShiftWithinARunIsAChange) {
  const auto answer = Compare(Computes({100, 101, 100, 101, 100, 101, 100, 101}),
                              Computes({100, 101, 100, 101, 160, 161, 160, 161}));
  ASSERT_EQ(answer.reports[0].findings.size(), 1u) << answer.verdict;
  EXPECT_EQ(answer.reports[0].findings[0].message, "Compute grew by 30.0 ms per step.");
}

TEST(CompareNoise, APartThatVariesLessThanTheStepIsTold) {
  // Steps of one number have other work in the run after.
  const auto answer = Compare(Computes({300, 500, 300, 500, 300, 500}, 40),
                              Computes({500, 300, 500, 300, 500, 300}, 2));
  EXPECT_EQ(
      answer.verdict,
      "Mean step time: 440 ms before, 402 ms after (-8.6%); steps of one run differ by 210 ms "
      "(std dev). Input: 40.0 ms before, 2.00 ms after.");
  const auto back = Compare(Computes({300, 500, 300, 500, 300, 500}, 2),
                            Computes({300, 500, 300, 500, 300, 500}, 40));
  ASSERT_EQ(back.reports[0].findings.size(), 1u);
  EXPECT_EQ(back.reports[0].findings[0].message, "Input grew by 38.0 ms per step.");
  EXPECT_EQ(back.reports[0].findings[0].per_step, 38 * kMs);
}

TEST(CompareNoise, SlowStepsAndWarmUpAreLeftOut) {
  const auto of = [](int64_t slow) {
    return RunOf({{.number = 0, .compute = 100},
                  {.number = 1, .compute = slow, .typical = false},
                  {.number = 2, .compute = 100}});
  };
  EXPECT_EQ(
      Compare(of(900), of(400)).verdict,
      "Mean step time: 100 ms before, 100 ms after (0.0%), slow steps and warm-up left out. "
      "No category changed by 1% of step time. Slow steps and warm-up, left out: 1 step of 900 ms "
      "before, 1 step of 400 ms after.");
}

ReportSet WithFunction(int64_t slow) {
  std::vector<Step> steps;
  Table functions{.key = "functions",
                  .columns = {Key("rank"), Key("function"), Key("file"), Key("line"),
                              Count("calls"), Time("self"), Time("total"), Key("training")}};
  for (int64_t rank = 0; rank < 3; ++rank) {
    for (int64_t number = 0; number < 3; ++number)
      steps.push_back({rank, number, 100 + number, rank == slow ? 60 : 10});
    if (rank == slow)
      functions.rows.push_back(
          {rank, "clean", "a.py", int64_t{7}, int64_t{3}, 150 * kMs, 150 * kMs, "yes"});
  }
  ReportSet answer = RunOf(steps);
  AddTable(answer, "python", std::move(functions));
  return answer;
}

TEST(CompareNoise, AFaultThatMovesToAnotherRankIsToldOfBoth) {
  const auto answer = Compare(WithFunction(2), WithFunction(0));
  EXPECT_EQ(
      answer.verdict,
      "Mean step time did not change beyond noise (128 ms before, 128 ms after, 0.0%), although "
      "clean (a.py:7) is new on rank 0 (50.0 ms more input per step). Steps of one run differ by "
      "1.05 ms (std dev). Rank 2 takes 50.0 ms less input per step than before: clean (a.py:7) no "
      "longer runs.");
  ASSERT_EQ(answer.reports[0].findings.size(), 1u);
  EXPECT_EQ(answer.reports[0].findings[0].per_step, 50 * kMs) << "what mending it saves now";
}

TEST(CompareNoise, WhatNoLongerRunsIsNamed) {
  ReportSet before = Computes({100}, 50), after = Computes({100}, 1);
  Table functions{.key = "functions",
                  .columns = {Key("rank"), Key("function"), Key("file"), Key("line"),
                              Count("calls"), Time("self"), Time("total"), Key("training")}};
  AddTable(after, "python", functions);
  functions.rows = {
      {int64_t{0}, "read", "a.py", int64_t{7}, int64_t{1}, 48 * kMs, 48 * kMs, "yes"}};
  AddTable(before, "python", functions);
  EXPECT_EQ(Compare(before, after).verdict,
            "Mean step time fell from 150 ms to 101 ms (-32.7%): read (a.py:7) no longer runs "
            "(49.0 ms less input per step).");
}

ReportSet WithCalls(int64_t on_rank_1) {
  ReportSet answer = RunOf({{0, 0, 300}, {0, 1, 500}, {1, 0, 300}, {1, 1, 500}});
  AddTable(answer, "kernel_breakdown",
           {.key = "kernels",
            .columns = {Key("rank"), Key("name"), Count("count"), Time("sum")},
            .rows = {{int64_t{0}, "gemm", int64_t{4}, 600 * kMs},
                     {int64_t{1}, "gemm", int64_t{4}, 600 * kMs},
                     {int64_t{1}, "softmax", on_rank_1, on_rank_1 * 2 * kMs}}});
  return answer;
}

TEST(CompareNoise, OtherCallsAreToldWhereTimesSayNothing) {
  EXPECT_EQ(Compare(WithCalls(8), WithCalls(18)).verdict,
            "No change beyond noise: mean step time is 400 ms before, 400 ms after (0.0%), and "
            "steps of one run differ by 210 ms (std dev). Calls differ: softmax runs 4 times "
            "per step before, 9 after on rank 1.");
  const auto answer = Compare(WithCalls(8), WithCalls(40));
  EXPECT_EQ(answer.verdict,
            "Mean step time did not change beyond noise (400 ms before, 400 ms after, 0.0%), "
            "although softmax runs 4 times per step before, 20 after on rank 1. Steps of one run "
            "differ by 210 ms (std dev).");
  ASSERT_EQ(answer.reports[0].findings.size(), 1u) << "they take more than 3% of step time";
  EXPECT_EQ(answer.reports[0].findings[0].per_step, 32 * kMs);
}

TEST(CompareNoise, FlopPrecisionAndRecordingAreTold) {
  const auto run = [](double flop, double low, bool stacks) {
    ReportSet answer = Computes({100});
    for (const auto& [key, value] :
         {std::pair("precision_16_ratio", low), std::pair("precision_unknown_ratio", 0.0)})
      answer.reports[0].metrics.push_back({key, key, value, Unit::kRatio});
    AddTable(answer, "modules",
             {.key = "types",
              .columns = {Key("type"), Count("calls"), {"flops", "flops", Unit::kFlop}},
              .rows = {{"Linear", int64_t{4}, flop}}});
    answer.reports.push_back({.analysis = "python", .title = "P", .headline = "So."});
    if (!stacks) {
      answer.reports.back().status = Status::kUnavailable;
      answer.reports.back().why = "no functions";
    }
    return answer;
  };
  EXPECT_EQ(Compare(run(2e9, 0, true), run(4e9, 0.9, false)).verdict,
            "Mean step time: 100 ms before, 100 ms after (0.0%). No category changed by 1% of step "
            "time. The same calls compute 2.00 GFLOP per step before, 4.00 GFLOP after (+100.0%). "
            "Compute in 16 bit "
            "or less: 0.0% before, 90.0% after. Python functions are recorded only before, which "
            "takes time itself.");
}

}  // namespace
}  // namespace stepscope::compare_noise_test
