// Tests that what grew is named and costs no more than steps grew by, and that hardware is advised
// only where all calls became slower by one factor.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stepscope/compare.h"

namespace stepscope::compare_growth_test {
namespace {

// Of a rank, in its one step; ns.
struct Call {
  const char* name;
  int64_t calls, time;
  const char* file = "data.py";  // of a function
};
struct Rank {
  int64_t compute = 0, others = 0, waits = 0;
  std::vector<Call> kernels = {};
  std::vector<Call> functions = {};
  std::vector<Call> shapes = {};
};

Column Key(const char* key) { return {key, key, Unit::kNone, Role::kKey}; }
Column Time(const char* key) { return {key, key, Unit::kNanoseconds}; }
Column Count(const char* key) { return {key, key, Unit::kCount}; }

struct Tables {
  Table steps{.key = "steps",
              .columns = {Key("rank"), Time("time"), Time("compute"), Time("all others"),
                          Time("collectives")}};
  Table kernels{.key = "kernels",
                .columns = {Key("rank"), Key("name"), Count("count"), Time("sum")}};
  Table functions{.key = "functions",
                  .columns = {Key("rank"), Key("function"), Key("file"), Key("line"),
                              Count("calls"), Time("self"), Time("total"), Key("training")}};
  Table shapes{.key = "shapes", .columns = {Key("call"), Count("calls"), Time("device_time")}};

  void Add(int64_t r, const Rank& rank) {
    steps.rows.push_back(
        {r, rank.compute + rank.others + rank.waits, rank.compute, rank.others, rank.waits});
    for (const Call& c : rank.kernels) kernels.rows.push_back({r, c.name, c.calls, c.time});
    for (const Call& c : rank.shapes) shapes.rows.push_back({c.name, c.calls, c.time});
    for (const Call& c : rank.functions)
      functions.rows.push_back({r, c.name, c.file, int64_t{7}, c.calls, c.time, c.time, "yes"});
  }
};

// The mean step of the ranks.
Report Overview(const std::vector<Rank>& ranks, Table steps) {
  int64_t compute = 0, others = 0, waits = 0;
  const auto count = std::ssize(ranks);
  for (const Rank& rank : ranks) {
    compute += rank.compute / count;
    others += rank.others / count;
    waits += rank.waits / count;
  }
  const int64_t all = compute + others + waits;
  const auto row = [&](const char* name, int64_t part, const char* kind) -> std::vector<Cell> {
    return {name, part, static_cast<double>(part) / static_cast<double>(all), kind, name};
  };
  Report overview{.analysis = "overview", .title = "O", .headline = "So."};
  overview.metrics = {{"steps", "steps", count, Unit::kCount},
                      {"step_time_mean", "mean step time", all, Unit::kNanoseconds}};
  overview.tables = {
      {.key = "step_time",
       .columns = {Key("category"),
                   Time("mean"),
                   {"ratio", "ratio", Unit::kRatio},
                   Key("kind"),
                   Key("column")},
       .rows = {row("compute", compute, "compute"), row("all others", others, "other"),
                row("collectives", waits, "communication")}},
      std::move(steps)};
  return overview;
}

ReportSet RunOf(const std::vector<Rank>& ranks) {
  Tables tables;
  for (int64_t r = 0; r < std::ssize(ranks); ++r) tables.Add(r, ranks[static_cast<size_t>(r)]);
  ReportSet answer;
  answer.run.ranks = std::ssize(ranks);
  answer.reports.push_back(Overview(ranks, std::move(tables.steps)));
  const auto add = [&](const char* analysis, Table table) {
    if (table.rows.empty()) return;
    answer.reports.push_back({.analysis = analysis, .title = "A", .headline = "So."});
    answer.reports.back().tables.push_back(std::move(table));
  };
  add("kernel_breakdown", std::move(tables.kernels));
  add("python", std::move(tables.functions));
  add("shapes", std::move(tables.shapes));
  return answer;
}

const std::vector<Finding>& Findings(const ReportSet& answer) { return answer.reports[0].findings; }

TEST(CompareGrowth, ASlowdownCostsWhatItAddsWhateverTheStepTookBefore) {
  const auto answer =
      Compare(RunOf({{.compute = 20, .others = 4}}), RunOf({{.compute = 20, .others = 46}}));
  ASSERT_EQ(Findings(answer).size(), 1u);
  EXPECT_EQ(Findings(answer)[0].message, "Unrecorded time grew by 42 ns per step.");
  EXPECT_EQ(Findings(answer)[0].impact, 42);
  EXPECT_EQ(Findings(answer)[0].per_step, 42);
  EXPECT_EQ(Findings(answer)[0].share, 42.0 / 66) << "of the later step";
}

TEST(CompareGrowth, FindingsCostNoMoreThanTheStepGrewBy) {
  const auto answer = Compare(RunOf({{.compute = 500, .others = 100, .waits = 400}}),
                              RunOf({{.compute = 800, .others = 350, .waits = 50}}));
  ASSERT_EQ(Findings(answer).size(), 2u);
  EXPECT_EQ(Findings(answer)[0].message, "Compute grew by 300 ns per step.");
  EXPECT_EQ(Findings(answer)[0].impact, 200) << "1000 ns, then 1200 ns";
  EXPECT_EQ(Findings(answer)[1].impact, 0);
  EXPECT_EQ(Findings(answer)[1].severity, Severity::kLow);
}

TEST(CompareGrowth, OfARunThatIsNotSlowerNoRankIsBlamed) {
  const auto answer =
      Compare(RunOf({{.compute = 500, .others = 400}, {.compute = 500, .others = 400}}),
              RunOf({{.compute = 500, .others = 390}, {.compute = 500, .others = 300}}));
  EXPECT_TRUE(Findings(answer).empty()) << Findings(answer)[0].message;
}

// Rank 1 takes 42 ns more in Python, and rank 0 waits for it.
std::vector<Rank> Pair(std::vector<Call> functions, int64_t more) {
  const Rank fast{.compute = 20, .others = 4, .waits = more, .functions = {{"load", 1, 4}}};
  return {fast, {.compute = 20, .others = 4 + more, .functions = std::move(functions)}};
}

TEST(CompareGrowth, ANewFunctionIsNamedWithItsRank) {
  const auto answer = Compare(RunOf(Pair({{"load", 1, 4}}, 0)),
                              RunOf(Pair({{"load", 1, 4}, {"check", 1, 42}}, 42)));
  ASSERT_EQ(Findings(answer).size(), 1u);
  const Finding& finding = Findings(answer)[0];
  EXPECT_EQ(finding.message,
            "Rank 1 takes 42 ns more Python between operators per step than before: check "
            "(data.py:7) is new.");
  EXPECT_EQ(finding.because,
            "4 ns before, 46 ns after (12×); rank 0 changed by 0 ns; Python: "
            "check (data.py:7) 0 ns before, 42 ns after");
  EXPECT_EQ(finding.hint,
            "on rank 1: look at check (data.py:7) and what calls it: changed code, arguments or "
            "data; see python");
  EXPECT_EQ(finding.impact, 42);
}

TEST(CompareGrowth, AFunctionThatTakesLongerIsNamed) {
  const auto answer = Compare(RunOf(Pair({{"load", 1, 4}}, 0)), RunOf(Pair({{"load", 1, 46}}, 42)));
  ASSERT_EQ(Findings(answer).size(), 1u);
  EXPECT_TRUE(Findings(answer)[0].message.ends_with(": load (data.py:7) takes 42 ns more."))
      << Findings(answer)[0].message;
}

// What calls backward waits there for other ranks, whatever the model is.
TEST(CompareGrowth, AFunctionOfTheProgramIsNamedRatherThanOneThatRunsAnyModel) {
  constexpr const char* kGraph = "torch/autograd/graph.py";
  const auto answer = Compare(
      RunOf(Pair(
          {{"weigh", 1, 1}, {"run_backward", 1, 3, ""}, {"_engine_run_backward", 1, 3, kGraph}},
          0)),
      RunOf(Pair(
          {{"weigh", 1, 18}, {"run_backward", 1, 28, ""}, {"_engine_run_backward", 1, 45, kGraph}},
          42)));
  ASSERT_EQ(Findings(answer).size(), 1u);
  EXPECT_TRUE(Findings(answer)[0].message.ends_with(": weigh (data.py:7) takes 17 ns more."))
      << Findings(answer)[0].message;
}

// A rank of three kernels on known shapes, whose times are multiplied.
std::vector<Rank> Computes(double gemm, double rest, int64_t calls = 4) {
  const auto times = [](int64_t ns, double by) {
    return static_cast<int64_t>(static_cast<double>(ns) * by);
  };
  const std::vector<Call> kernels = {{"gemm", calls, times(400, gemm)},
                                     {"norm", 4, times(200, rest)},
                                     {"gelu", 4, times(100, rest)}};
  int64_t all = 0;
  for (const Call& kernel : kernels) all += kernel.time;
  return {{.compute = all, .others = 100, .kernels = kernels, .shapes = kernels}};
}

std::string HintAfter(const std::vector<Rank>& after) {
  const auto answer = Compare(RunOf(Computes(1, 1)), RunOf(after));
  return Findings(answer).empty() ? "" : Findings(answer)[0].hint;
}

TEST(CompareGrowth, HardwareIsAdvisedOnlyWhereAllCallsAreSlowerByOneFactor) {
  EXPECT_TRUE(HintAfter(Computes(1.3, 1.3)).contains("clocks"));
  EXPECT_TRUE(HintAfter(Computes(1.6, 1)).starts_with("calls and shapes are the same"));
  EXPECT_TRUE(HintAfter(Computes(2, 1, 8)).starts_with("find what adds these calls"));
  std::vector<Rank> larger = Computes(1.3, 1.3);
  larger[0].shapes[0].name = "larger gemm";
  EXPECT_TRUE(HintAfter(larger).starts_with("inputs have other sizes"));
  std::vector<Rank> unknown = Computes(1.3, 1.3);
  unknown[0].shapes.clear();
  EXPECT_FALSE(HintAfter(unknown).contains("clocks"));
}

// A rank that computes for so many ns, on inputs of so many rows.
Rank Multiplies(int64_t compute, const char* shape) {
  return {.compute = compute,
          .others = 100,
          .kernels = {{"mm", 4, compute}},
          .shapes = {{shape, 4, compute}}};
}

ReportSet WithFlops(ReportSet run, int64_t flops) {
  run.reports.push_back({.analysis = "modules", .title = "M", .headline = "So."});
  run.reports.back().tables.push_back({.key = "types",
                                       .columns = {Key("type"), Count("calls"), Count("flops")},
                                       .rows = {{"Linear", int64_t{8}, flops}}});
  return run;
}

TEST(CompareGrowth, SizesThatAreSmallerInSumAreNoReasonForARankThatTakesLonger) {
  const ReportSet uneven =
      WithFlops(RunOf({Multiplies(500, "mm [[8]]"), Multiplies(1000, "mm [[16]]")}), 3000);
  const ReportSet even =
      WithFlops(RunOf({Multiplies(600, "mm [[8]]"), Multiplies(500, "mm [[8]]")}), 2000);
  const auto smaller = Compare(uneven, even), larger = Compare(even, uneven);
  ASSERT_FALSE(Findings(smaller).empty());
  EXPECT_FALSE(Findings(smaller)[0].message.contains("sizes")) << Findings(smaller)[0].message;
  EXPECT_FALSE(smaller.verdict.contains("sizes on rank 0")) << smaller.verdict;
  ASSERT_FALSE(Findings(larger).empty());
  EXPECT_TRUE(Findings(larger)[0].message.contains(
      "Rank 1 takes 500 ns more compute per step than before: inputs have other sizes"))
      << Findings(larger)[0].message;
}

TEST(CompareGrowth, OfTheSameSizesOnAnotherTypeTheTypeIsTheReason) {
  const auto answer = Compare(RunOf({Multiplies(500, "mm M=8 N=8 K=8 fp32")}),
                              RunOf({Multiplies(1000, "mm M=8 N=8 K=8 fp64")}));
  ASSERT_FALSE(Findings(answer).empty());
  EXPECT_TRUE(Findings(answer)[0].message.contains("inputs are fp64 instead of fp32"))
      << Findings(answer)[0].message;
  EXPECT_TRUE(Findings(answer)[0].hint.str().starts_with("find what makes these inputs"))
      << Findings(answer)[0].hint;
}

}  // namespace
}  // namespace stepscope::compare_growth_test
