// Tests the comparison of answers: rows match by their keys, and every number has its change.
#include "stepscope/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "report/columns.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "stepscope/write.h"
#include "tests/support/sample_answer.h"

namespace stepscope::compare_test {
namespace {

using Rows = std::vector<std::vector<Cell>>;

constexpr auto& Answer = SampleIdleRanks;

ReportSet Kernels(Rows rows) {
  Report report{.analysis = "kernel_breakdown", .title = "Kernels", .headline = "So."};
  report.tables = {{.key = "kernels",
                    .title = "Kernels",
                    .columns = {{"name", "name", Unit::kNone, Role::kKey},
                                {"count", "count", Unit::kCount},
                                {"sum", "sum", Unit::kNanoseconds}},
                    .rows = std::move(rows)}};
  ReportSet answer;
  answer.reports.push_back(std::move(report));
  return answer;
}

const Table& TableOf(const ReportSet& answer, size_t report, size_t table) {
  return answer.reports.at(report).tables.at(table);
}

std::string Say(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* real = std::get_if<double>(&cell)) return std::to_string(*real).substr(0, 5);
  return "-";
}

// Rows as "a b c; d e f".
std::string Say(const Table& table) {
  std::string text;
  for (const auto& row : table.rows) {
    if (!text.empty()) text += "; ";
    for (size_t c = 0; c < row.size(); ++c) text += (c > 0 ? " " : "") + Say(row[c]);
  }
  return text;
}

TEST(Compare, RowsMatchByKeyAndOneSideMayLackThem) {
  const auto answer = Compare(Answer(0.5, {{int64_t{0}, int64_t{100}}, {int64_t{1}, int64_t{50}}}),
                              Answer(0.25, {{int64_t{1}, int64_t{75}}, {int64_t{2}, int64_t{9}}}));
  EXPECT_EQ(Say(TableOf(answer, 1, 0)), "0 100 - - -; 1 50 75 25 0.500; 2 - 9 - -");
  const auto& metrics = answer.reports[1].metrics;
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[3].key, "idle_ratio_change_ratio");
  EXPECT_EQ(std::get<double>(metrics[3].value), -0.5);
}

TEST(Compare, DifferencesAndChangesHaveTheirOwnTitlesAndUnits) {
  const auto answer =
      Compare(Answer(0.5, {{int64_t{0}, int64_t{100}}}), Answer(0.25, {{int64_t{0}, int64_t{75}}}));
  const auto& metrics = answer.reports[1].metrics;
  EXPECT_EQ(metrics[2].title, "idle, after - before");
  EXPECT_EQ(HumanCell(metrics[2].value, metrics[2].unit), "-25.0 pp");
  EXPECT_EQ(metrics[3].title, "idle, change");
  EXPECT_EQ(HumanCell(metrics[3].value, metrics[3].unit), "-50.0%");
  const auto usage =
      Compare(Kernels({{"k", int64_t{1}, int64_t{9}}}), Kernels({{"k", int64_t{1}, int64_t{8}}}));
  for (const Table* table : {&TableOf(answer, 1, 0), &TableOf(usage, 0, 0)}) {
    std::set<std::string> titles;
    for (const Column& column : table->columns)
      EXPECT_TRUE(titles.insert(column.title).second) << column.title;
  }
}

TEST(Compare, AKeyThatHasOneValueOnEachSideIsNoObstacle) {
  const auto answer =
      Compare(Answer(0, {{int64_t{0}, int64_t{100}}}), Answer(0, {{int64_t{3}, int64_t{90}}}));
  EXPECT_EQ(Say(TableOf(answer, 1, 0)), "0 before, 3 after 100 90 -10 -0.10");
}

// The column of ranks then says which both are, and is no number.
TEST(Compare, OneRankBesideAnotherCanBeWritten) {
  const auto run = [](int64_t rank) {
    ReportSet answer = Answer(0, {{rank, int64_t{100}}});
    answer.reports[0].analysis = "breakdown";
    answer.reports[0].tables[0].key = "ranks";
    answer.run.ranks = 1;
    return answer;
  };
  EXPECT_TRUE(ToJson(Compare(run(3), run(1))).contains("breakdown"));
}

// Operators by who called them, on a rank.
ReportSet Tree(Rows rows) {
  Report report{.analysis = "operators", .title = "Operators", .headline = "So."};
  report.tables = {{.key = "tree",
                    .title = "Operators",
                    .columns = {{"rank", "rank", Unit::kNone, Role::kKey},
                                {"path", "path", Unit::kNone, Role::kKey},
                                {"depth", "depth", Unit::kNone, Role::kKey},
                                {"time", "time", Unit::kNanoseconds}},
                    .rows = std::move(rows)}};
  ReportSet answer;
  answer.reports.push_back(std::move(report));
  return answer;
}

TEST(Compare, ARowOfEachSideIsTheSameOnlyIfItsNamesAre) {
  const auto compared = [](int64_t rank, const char* path) {
    const auto answer = Compare(Tree({{int64_t{0}, "mm", int64_t{0}, int64_t{100}}}),
                                Tree({{rank, path, int64_t{0}, int64_t{90}}}));
    return Say(TableOf(answer, 1, 0));
  };
  EXPECT_EQ(compared(0, "mm"), "0 mm 0 100 90 -10 -0.10");
  EXPECT_EQ(compared(3, "mm"), "mm 0 100 90 -10 -0.10");
  EXPECT_EQ(compared(0, "addmm"), "0 mm 0 100 - - -; 0 addmm 0 - 90 - -");
  EXPECT_EQ(compared(3, "addmm"), "mm 0 100 - - -; addmm 0 - 90 - -");
}

// What the host ran, from three analyses. What device ranges last is no time of the host.
TEST(Compare, HostCallsSayWhatHappenedToThem) {
  const auto run = [](int64_t count, int64_t time) {
    ReportSet answer;
    const auto add = [&](const char* analysis, const char* table, std::vector<Column> columns,
                         Rows rows) {
      Report report{.analysis = analysis, .title = "So", .headline = "So."};
      report.tables = {
          {.key = table, .title = "So", .columns = std::move(columns), .rows = std::move(rows)}};
      answer.reports.push_back(std::move(report));
    };
    const Column calls = CountColumn("count", "count");
    add("operator_kernels", "operators",
        {KeyColumn("operator", "operator"), calls, TimeColumn("host_time", "host time"),
         TimeColumn("gpu_time", "device time")},
        {{"mm", count, time, int64_t{1}}, {"(no operator)", Cell(), Cell(), int64_t{1}}});
    add("launch_stats", "runtime_calls",
        {KeyColumn("call", "call"), calls, TimeColumn("sum", "sum")}, {{"cudaFree", count, time}});
    add("user_annotations", "annotations",
        {KeyColumn("rank", "rank"), KeyColumn("side", "side"),
         KeyColumn("annotation", "annotation"), calls, TimeColumn("sum", "sum")},
        {{int64_t{0}, "host", "step", count, time},
         {int64_t{1}, "host", "step", count, time},
         {int64_t{0}, "device", "step", int64_t{7}, int64_t{7}}});
    return answer;
  };
  const auto answer = Compare(run(1, 100), run(2, 150));
  const Report& changes = answer.reports[0];
  const auto host = std::ranges::find(changes.tables, "host", &Table::key);
  ASSERT_NE(host, changes.tables.end());
  EXPECT_EQ(Say(*host),
            "operator mm more 1 2 1 1.000 100 150 50 0.500; "
            "runtime call cudaFree more 1 2 1 1.000 100 150 50 0.500; "
            "annotation step more 2 4 2 1.000 200 300 100 0.500");
}

TEST(Compare, MomentsDifferByATimeAndByNoShare) {
  ReportSet a = Answer(0, {}), b = Answer(0, {});
  a.reports[0].metrics = {{"start", "start", int64_t{1'780'000'000'000'000'000}, Unit::kUnixTime}};
  b.reports[0].metrics = {{"start", "start", int64_t{1'780'000'060'000'000'000}, Unit::kUnixTime}};
  const auto answer = Compare(a, b);
  const auto& metrics = answer.reports[1].metrics;
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[1].unit, Unit::kUnixTime);
  EXPECT_EQ(metrics[2].unit, Unit::kNanoseconds);
  EXPECT_EQ(Say(metrics[2].value), "60000000000");
  EXPECT_EQ(Say(metrics[3].value), "-");
}

TEST(Compare, KernelsSayWhatHappenedToThem) {
  const auto answer = Compare(Kernels({{"gone", int64_t{1}, int64_t{100}},
                                       {"more", int64_t{1}, int64_t{10}},
                                       {"same", int64_t{2}, int64_t{100}},
                                       {"slow", int64_t{2}, int64_t{100}},
                                       {"swift", int64_t{2}, int64_t{100}}}),
                              Kernels({{"more", int64_t{3}, int64_t{40}},
                                       {"new", int64_t{4}, int64_t{500}},
                                       {"same", int64_t{2}, int64_t{105}},
                                       {"slow", int64_t{2}, int64_t{111}},
                                       {"swift", int64_t{2}, int64_t{80}}}));
  std::string changes;
  const Table& kernels = TableOf(answer, 0, 0);
  const ColumnOf name(kernels, "name"), change(kernels, "change");
  for (const auto& row : kernels.rows) changes += name.Text(row) + " " + change.Text(row) + ", ";
  EXPECT_EQ(changes, "new added, gone removed, more more, swift faster, slow slower, same same, ");
  ASSERT_EQ(answer.reports[0].findings.size(), 1u);
  EXPECT_EQ(answer.reports[0].findings[0].message, "new takes 500 ns more device time.");
  EXPECT_EQ(answer.reports[0].findings[0].impact, 426) << "what all took is 410, then 836";
  EXPECT_EQ(answer.reports[0].findings[0].table, "kernels");
}

// Twice the steps are twice the work: nothing got slower.
TEST(Compare, RunsOfDifferentLengthAreComparedByTheStep) {
  const auto with_steps = [](ReportSet answer, int64_t steps, int64_t time = 400) {
    answer.reports.push_back({.analysis = "overview"});
    answer.reports.back().metrics = {{"steps", "steps", steps, Unit::kCount},
                                     {"step_time_mean", "a step", time, Unit::kNanoseconds}};
    return answer;
  };
  const ReportSet a = with_steps(Kernels({{"gemm", int64_t{3}, int64_t{300}}}), 3);
  const ReportSet b = with_steps(Kernels({{"gemm", int64_t{6}, int64_t{600}}}), 6);
  const Report same = Compare(a, b).reports[0];
  EXPECT_EQ(
      same.headline,
      "Mean step time: 400 ns before, 400 ns after (0.0%). Kernel time per step: 100 ns before, "
      "100 ns after (0.0%).");
  EXPECT_TRUE(same.findings.empty());
  ASSERT_EQ(same.notes.size(), 1u);
  EXPECT_TRUE(same.notes[0].message.starts_with("3 steps of ranks before, 6 after "));

  const ReportSet slow = with_steps(Kernels({{"gemm", int64_t{6}, int64_t{900}}}), 6, 500);
  const Report slower = Compare(a, slow).reports[0];
  ASSERT_EQ(slower.findings.size(), 1u);
  EXPECT_EQ(slower.findings[0].message, "gemm takes 50 ns more device time per step.");
  EXPECT_EQ(slower.findings[0].share, 0.1) << "of the later step";
}

// Rank 2 is in the run after only, and the others wait for it.
TEST(Compare, ACollectiveMayWaitForRanksThatAreNotCompared) {
  const auto run = [](int64_t ranks, int64_t time) {
    ReportSet answer = Kernels({{"all_reduce", int64_t{4}, time, "communication"}});
    answer.reports[0].tables[0].columns.push_back({"kind", "kind", Unit::kNone});
    answer.run.ranks = ranks;
    return answer;
  };
  const auto answer = Compare(run(2, 400), run(3, 4000));
  ASSERT_EQ(answer.reports[0].findings.size(), 1u);
  const Finding& found = answer.reports[0].findings[0];
  EXPECT_EQ(found.message,
            "all_reduce takes 3.60 µs more; it may wait there for ranks that are not compared.");
  EXPECT_TRUE(found.hint.starts_with("analyze the run after alone: ")) << found.hint;
  EXPECT_EQ(Compare(run(3, 400), run(3, 4000)).reports[0].findings[0].message,
            "all_reduce takes 3.60 µs more device time.");
}

TEST(Compare, ShortNamesMatchOtherTemplates) {
  const ReportSet a = Kernels({{"void gemm<float, 4>(float*)", int64_t{1}, int64_t{100}}});
  const ReportSet b = Kernels({{"void gemm<half, 8>(half*)", int64_t{2}, int64_t{50}}});
  EXPECT_EQ(TableOf(Compare(a, b), 0, 0).rows.size(), 2u);
  EXPECT_EQ(TableOf(Compare(a, b, {.short_names = true}), 0, 0).rows.size(), 1u);
}

TEST(Compare, WhatOneSideCannotAnswerIsUnavailable) {
  ReportSet b = Answer(0, {});
  b.reports[0].status = Status::kUnavailable;
  b.reports[0].why = "no work";
  const auto answer = Compare(Answer(0, {}), b);
  EXPECT_EQ(answer.reports[1].status, Status::kUnavailable);
  EXPECT_EQ(answer.reports[1].why, "after: no work");
}

struct Times {
  int64_t input = 0, compute = 0, collectives = 0;
  int64_t Sum() const { return input + compute + collectives; }
};

// The overview of ranks that make one step each.
ReportSet Steps(const std::vector<Times>& ranks) {
  Times mean;
  Report report{.analysis = "overview", .title = "Overview", .headline = "So."};
  Table steps{.key = "steps",
              .title = "Steps",
              .columns = {{"rank", "rank", Unit::kNone, Role::kKey},
                          {"time", "step time", Unit::kNanoseconds},
                          {"input", "input", Unit::kNanoseconds},
                          {"device_compute", "device compute", Unit::kNanoseconds},
                          {"device_collectives", "device collectives", Unit::kNanoseconds}}};
  const auto count = std::ssize(ranks);
  for (const Times& t : ranks) {
    mean.input += t.input / count;
    mean.compute += t.compute / count;
    mean.collectives += t.collectives / count;
    steps.rows.push_back({std::ssize(steps.rows), t.Sum(), t.input, t.compute, t.collectives});
  }
  const auto ratio = [&](int64_t t) {
    return static_cast<double>(t) / static_cast<double>(mean.Sum());
  };
  Table categories{
      .key = "step_time",
      .title = "Breakdown",
      .columns = {{"category", "category", Unit::kNone, Role::kKey},
                  {"mean", "mean", Unit::kNanoseconds},
                  {"ratio", "% of step time", Unit::kRatio},
                  {"kind", "kind"},
                  {"column", "column of steps"}},
      .rows = {{"input", mean.input, ratio(mean.input), "input", "input"},
               {"device compute", mean.compute, ratio(mean.compute), "compute", "device_compute"},
               {"device collectives", mean.collectives, ratio(mean.collectives), "communication",
                "device_collectives"}},
      .kind_column = "kind"};
  report.metrics = {{"steps", "steps", count, Unit::kCount},
                    {"step_time_mean", "mean step time", mean.Sum(), Unit::kNanoseconds}};
  report.tables = {std::move(categories), std::move(steps)};
  ReportSet answer;
  answer.run.ranks = count;
  for (int64_t r = 0; r < count; ++r) answer.run.files.push_back({.path = "t", .rank = r});
  answer.reports.push_back(std::move(report));
  return answer;
}

// What ranks do themselves compares, whatever collectives of more ranks take.
TEST(Compare, ACollectiveOfMoreRanksComesLast) {
  const Times was{.input = 100, .compute = 1000, .collectives = 100};
  const Times is{.input = 200, .compute = 1000, .collectives = 900};
  const auto answer = Compare(Steps({was, was}), Steps({is, is, is}));
  const std::string& headline = answer.reports[0].headline;
  EXPECT_LT(headline.find("Input: 100 ns before, 200 ns after"),
            headline.find("device collectives"))
      << headline;
  EXPECT_TRUE(
      headline.contains("Times in collectives do not compare: the job has 2 ranks before and "
                        "3 after."))
      << headline;
  const auto findings = FindingsInOrder(answer);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_TRUE(findings[0]->message.starts_with("Input grew by 100 ns")) << findings[0]->message;
  EXPECT_EQ(findings[1]->severity, Severity::kLow);
  const auto same = Compare(Steps({was, was}), Steps({is, is}));
  EXPECT_FALSE(same.verdict.contains("do not compare")) << same.verdict;
}

// A port of a model: its calls have other names, and are none that were added.
TEST(Compare, OfTwoFrameworksCallsDoNotCompare) {
  ReportSet a = Steps({{.compute = 1000, .collectives = 100}}),
            b = Steps({{.compute = 3000, .collectives = 100}});
  const auto add = [](ReportSet& answer, const char* framework, const char* op, int64_t time) {
    answer.reports.push_back(
        {.analysis = "breakdown",
         .metrics = {{"framework", "framework", std::string(framework), Unit::kNone}}});
    answer.reports.push_back({.analysis = "operators",
                              .tables = {{.key = "top",
                                          .columns = {{"name", "name", Unit::kNone, Role::kKey},
                                                      {"calls", "calls", Unit::kCount},
                                                      {"total", "total", Unit::kNanoseconds}},
                                          .rows = {{std::string(op), int64_t{10}, time}}}}});
  };
  add(a, "JAX", "jit_step", 1000);
  add(b, "PyTorch", "aten::addmm", 3000);
  const auto answer = Compare(a, b);
  EXPECT_TRUE(answer.verdict.starts_with(
      "Two frameworks: JAX before, PyTorch after, whose calls do not compare. Mean step time: "))
      << answer.verdict;
  for (const Finding* finding : FindingsInOrder(answer))
    EXPECT_FALSE(finding->message.contains("times per step")) << finding->message;
}

TEST(Compare, StepsLeadWithTheCategoryThatChangedMost) {
  const auto answer = Compare(Steps({{.input = 470, .compute = 1000, .collectives = 100}}),
                              Steps({{.input = 3, .compute = 1040, .collectives = 100}}));
  EXPECT_EQ(answer.reports[0].headline,
            "Mean step time: 1.57 µs before, 1.14 µs after (-27.2%). Input: 470 ns before, 3 ns "
            "after; device compute: 1.00 µs before, 1.04 µs after.");
  EXPECT_TRUE(answer.verdict.starts_with(answer.reports[0].headline)) << answer.verdict;
  EXPECT_EQ(Say(TableOf(answer, 0, 0)).substr(0, 59),
            "input 470 3 -467 -0.99 0.299 0.002 -0.29 -0.99; device comp");
  EXPECT_TRUE(answer.reports[0].findings.empty()) << "nothing takes relevantly more";
}

// The others wait for it: the collectives' time is evidence, not a finding of its own.
TEST(Compare, TheRankThatBecameSlowerLeadsAndTheWaitingIsItsEvidence) {
  const Times was{.input = 0, .compute = 1000, .collectives = 100};
  const Times waits{.input = 0, .compute = 1000, .collectives = 400};
  const auto answer =
      Compare(Steps({was, was, was, was}),
              Steps({waits, waits, {.input = 0, .compute = 1300, .collectives = 100}, waits}));
  ASSERT_EQ(answer.reports[0].findings.size(), 1u);
  const Finding& finding = answer.reports[0].findings[0];
  EXPECT_EQ(finding.message, "Rank 2 takes 300 ns more device compute per step than before.");
  EXPECT_EQ(finding.because,
            "1.00 µs before, 1.30 µs after (+30.0%); rank 0 changed by 0 ns, rank 1 by 0 ns, rank "
            "3 by 0 ns");
  EXPECT_EQ(finding.cause.rank, 2);
  EXPECT_EQ(finding.severity, Severity::kHigh);
  ASSERT_EQ(finding.evidence.size(), 2u);
  EXPECT_EQ(finding.evidence[0].message, "Device collectives grew by 225 ns per step.");
}

// Of ranks whose compute was 1 µs before, and is this many ns after; they wait for the slowest.
std::string SaidOfCompute(const std::vector<int64_t>& after) {
  std::vector<Times> was, is;
  for (const int64_t compute : after) {
    was.push_back({.input = 0, .compute = 1000, .collectives = 100});
    is.push_back(
        {.input = 0, .compute = compute, .collectives = 100 + std::ranges::max(after) - compute});
  }
  const auto answer = Compare(Steps(was), Steps(is));
  std::string said(answer.verdict);
  for (const Finding& finding : answer.reports[0].findings) said += "\n" + finding.message;
  return said;
}

TEST(Compare, ARankIsNamedOnlyBeyondWhatTheOthersDo) {
  EXPECT_TRUE(SaidOfCompute({1020, 1020, 1020, 1020, 1300, 1020})
                  .contains("Rank 4 takes 300 ns more device compute per step than before."));
  const std::string all = SaidOfCompute({1100, 1100, 1100, 1100, 1300, 1100});
  EXPECT_TRUE(
      all.contains("All ranks take more device compute per step than before, rank 4 300 ns "
                   "and the others 100 ns."))
      << all;
  for (const std::vector<int64_t>& alike :
       {std::vector<int64_t>{1250, 1000, 1260, 1000, 1300, 1000},
        std::vector<int64_t>{1250, 1240, 1260, 1250, 1300, 1250}})
    EXPECT_FALSE(SaidOfCompute(alike).contains("ank 4")) << SaidOfCompute(alike);
}

TEST(Compare, AKernelInPlaceOfAnotherIsOneRow) {
  const auto answer =
      Compare(Kernels({{"old", int64_t{9}, int64_t{460}}, {"rest", int64_t{5}, int64_t{100}}}),
              Kernels({{"new", int64_t{9}, int64_t{430}}, {"rest", int64_t{5}, int64_t{100}}}));
  EXPECT_EQ(
      Say(TableOf(answer, 0, 0)),
      "old | new replaced 9 9 0 0.000 460 430 -30 -0.06; rest same 5 5 0 0.000 100 100 0 0.000");
  EXPECT_TRUE(answer.reports[0].findings.empty());
}

// One takes 43 more and another 46 less, in other numbers of calls: together nothing got slower.
TEST(Compare, AKernelIsNoFindingWhereItsKindDidNotRise) {
  const auto answer =
      Compare(Kernels({{"a", int64_t{9}, int64_t{46}}, {"b", int64_t{1}, int64_t{10}}}),
              Kernels({{"b", int64_t{5}, int64_t{53}}}));
  EXPECT_TRUE(answer.reports[0].findings.empty());
}

TEST(Compare, IdentifiersHaveNoChange) {
  ReportSet a = Answer(0, {}), b = Answer(0, {});
  a.reports[0].metrics = {{"worst_rank", "worst rank", int64_t{3}}};
  b.reports[0].metrics = {{"worst_rank", "worst rank", int64_t{1}}};
  const auto answer = Compare(a, b);
  const auto& metrics = answer.reports[1].metrics;
  EXPECT_EQ(Say(metrics[0].value), "3");
  EXPECT_EQ(Say(metrics[1].value), "1");
  EXPECT_EQ(Say(metrics[2].value), "-");
  EXPECT_EQ(Say(metrics[3].value), "-");
}

TEST(Compare, RunsOfDifferentNumbersOfRanksAreComparedOnThoseInBoth) {
  const Times t{.input = 0, .compute = 10, .collectives = 0};
  const auto one = Steps({t}), two = Steps({t, t}), three = Steps({t, t, t});
  ReportSet other = Steps({t}), moved = Steps({t, t});
  moved.run.files[0].rank = 2;
  other.run.files[0].rank = 7;
  std::vector<int64_t> asked;  // for again
  const auto ask = [&](const ReportSet& run) -> AskForRanks {
    return [&](const std::vector<int64_t>& ranks) {
      asked = ranks;
      return std::make_shared<const ReportSet>(run);
    };
  };
  const auto again = [&](const ReportSet& a, const ReportSet& b, bool chosen = false) {
    EXPECT_TRUE(AskBoth(ask(a), ask(b), chosen));
    return asked;
  };
  EXPECT_EQ(again(two, two), std::vector<int64_t>());
  EXPECT_EQ(again(three, two), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(again(three, two, true), std::vector<int64_t>()) << "ranks are chosen";
  EXPECT_EQ(again(two, moved), std::vector<int64_t>{1});
  EXPECT_EQ(again(one, other), std::vector<int64_t>()) << "a pair";
  EXPECT_EQ(AskBoth(ask(three), ask(two))->all_before->run.ranks, three.run.ranks);
  EXPECT_EQ(AskBoth(ask(two), ask(two))->all_before, nullptr);
  const auto refused = AskBoth(ask(two), ask(other));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cannot compare 2 ranks with 1 rank: no rank is in both");
}

}  // namespace
}  // namespace stepscope::compare_test
