// Tests text as a terminal shows it.
#include <gtest/gtest.h>

#include <string>

#include "stepscope/write.h"
#include "tests/support/sample_answer.h"

namespace stepscope::text_test {
namespace {

TEST(Text, OpensWithTheAnswer) {
  EXPECT_EQ(ToText(SampleAnswer(), {.color = false, .width = 60}),
            R"(Four ranks computed for 71.2% of the time. Rank 1 stands
out: it waits for its host.

Findings
- high: Rank 1 waits for its host for most of every step,
  far longer than others.
    because it is idle for 83.5 s, the median rank for
    1.24 ms
    try: look at the data loader of rank 1: raise
    num_workers
- low: Rank 0 starts late.

Idle time
  partial: rank 3 holds no accelerator work
  GPUs stood idle for 12.3% of the time, mostly waiting for
  the host.

  Idle                  83.5 s
  Worst rank            1
  Waiting for the host  -

  Ranks
    rank     idle  idle share   copied
       2  1.24 ms       12.3%  1.50 MB
       0   640 ns        0.0%        -
    … 1 more row in csv and json

  Kernels
    kernel                           launches
    gemm<float, 128>                   12,345
    ncclDevKernel_AllReduce_Sum_f32         7

  More in csv and json: Gaps (3 rows)

Memory
  unavailable: the traces were recorded without
  profile_memory

Notes
  negative_duration × 1,234: events end before they begin;
    taken as 0 ns long (2 files)
  no_correlation × 2: kernels have no launch (rank-1.json)
  window_cut: Only complete steps are counted.
)");
}

ReportSet WithFindings(std::vector<Finding> findings) {
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].title = "Report";
  answer.reports[0].findings = std::move(findings);
  return answer;
}

ReportSet WithTable(Table table) {
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].title = "Report";
  answer.reports[0].tables = {std::move(table)};
  return answer;
}

TEST(Text, ColorsOnlyWhenAsked) {
  const ReportSet answer = WithFindings({{Severity::kHigh, "Slow.", "", "", 1}});
  EXPECT_EQ(ToText(answer), "Findings\n- high: Slow.\n\nReport\n");
  EXPECT_EQ(ToText(answer, {.color = true}),
            "\x1b[1mFindings\x1b[0m\n- \x1b[1;31mhigh\x1b[0m: Slow.\n\n\x1b[1mReport\x1b[0m\n");
}

TEST(Text, FindingsAreSortedByWorthThenSeverity) {
  const ReportSet answer = WithFindings({{Severity::kLow, "C.", "", "", 7},
                                         {Severity::kHigh, "B.", "", "", 7},
                                         {Severity::kLow, "A.", "", "", 9},
                                         {Severity::kLow, "D.", "", "", 6},
                                         {Severity::kLow, "F.", "", "", 4},
                                         {Severity::kLow, "E.", "", "", 5},
                                         {Severity::kHigh, "G.", "", "", 3}});
  EXPECT_EQ(ToText(answer), R"(Findings
- low: A.
- high: B.
- low: C.
… 4 more findings in json

Report
)");
}

TEST(Text, ShortensTheLongestNamesAndKeepsEveryNumber) {
  Table table = SampleKernels();
  table.columns.push_back({"stream", "stream", Unit::kNone, Role::kKey});
  for (auto& row : table.rows) row.push_back(std::string("main"));
  EXPECT_EQ(ToText(WithTable(table), {.color = false, .width = 42}), R"(Report

  Kernels
    kernel                stream  launches
    gemm<float, 128>      main      12,345
    ncclDevKernel…um_f32  main           7
)");
}

TEST(Text, ShortensTextInMetrics) {
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].title = "Report";
  answer.reports[0].metrics = {
      {"kernel", "Slowest", std::string(500, 'a') + std::string(500, 'b'), Unit::kNone}};
  EXPECT_EQ(ToText(answer, {.color = false, .width = 42}), R"(Report

  Slowest  aaaaaaaaaaaaaaaaaaaa…bbbbbbbbbb
)");
}

TEST(Text, HopelesslyNarrowTablesOverflow) {
  EXPECT_EQ(ToText(WithTable(SampleKernels()), {.color = false, .width = 0}), R"(Report

  Kernels
    kernel        launches
    gemm<flo…28>    12,345
    ncclDevK…f32         7
)");
}

TEST(Text, WhatATableHasNoRoomForIsBelowItWithTheKeys) {
  Table table = SampleKernels();
  for (const char* key : {"first", "second", "third"}) {
    table.columns.push_back({key, key, Unit::kCount});
    for (auto& row : table.rows) row.push_back(int64_t{1'000'000'000});
  }
  EXPECT_EQ(ToText(WithTable(table), {.color = false, .width = 56}), R"(Report

  Kernels
    kernel        launches          first         second
    gemm<flo…28>    12,345  1,000,000,000  1,000,000,000
    ncclDevK…f32         7  1,000,000,000  1,000,000,000

    kernel                                   third
    gemm<float, 128>                 1,000,000,000
    ncclDevKernel_AllReduce_Sum_f32  1,000,000,000
)");
}

TEST(Text, KeyColumnsComeFirstAndTellingOnesStay) {
  Table table;
  table.title = "Ranks";
  table.columns = {{"busy", "busy", Unit::kRatio, Role::kValue},
                   {"window", "window", Unit::kNone, Role::kKey},
                   {"device", "device", Unit::kNone, Role::kKey}};
  table.rows = {{0.5, int64_t{0}, int64_t{0}}, {0.25, int64_t{1}, int64_t{0}}};
  EXPECT_EQ(ToText(WithTable(table)), R"(Report

  Ranks
    window   busy
         0  50.0%
         1  25.0%
)");
}

// A window that has a name is no number that nearly all traces have.
TEST(Text, KeysInWordsStay) {
  Table table;
  table.title = "The last stretches";
  table.columns = {{"window", "the last", Unit::kNone, Role::kKey},
                   {"goodput", "goodput", Unit::kRatio, Role::kValue}};
  table.rows = {{"1h", 0.5}};
  EXPECT_EQ(ToText(WithTable(table)), R"(Report

  The last stretches
    the last  goodput
    1h          50.0%
)");
}

TEST(Text, AsciiForTerminalsThatAreNotUtf8) {
  Table table;
  table.title = "Ranks";
  table.columns = {{"busy", "busy", Unit::kNanoseconds, Role::kValue}};
  table.rows = {{int64_t{1500}}};
  EXPECT_EQ(ToText(WithTable(table), {.ascii = true}), R"(Report

  Ranks
       busy
    1.50 us
)");
  EXPECT_TRUE(ToText(WithTable(table)).contains("1.50 µs"));
}

TEST(Text, ATableWithoutRowsIsALine) {
  Table table = SampleRanks();
  table.rows.clear();
  EXPECT_EQ(ToText(WithTable(table)), "Report\n\n  Ranks: none\n");
}

TEST(Text, EscapeSequencesInNamesAreShownNotObeyed) {
  ReportSet answer = SampleAnswer();
  const std::string evil = "\x1b]0;owned\x07\n\xff";
  answer.verdict = evil;
  answer.run.notes = {{"n", 1, evil, evil}};
  Report& report = answer.reports[0];
  report.title = report.headline = report.why = evil;
  report.metrics[0] = {"k", evil, evil, Unit::kNone};
  report.tables[1].title = report.tables[1].columns[0].title = evil;
  report.tables[1].rows[0][0] = evil;
  report.findings[0] = {Severity::kHigh, evil, evil, evil, 1};
  for (const std::string& out : {ToText(answer), ToMarkdown(answer), ToCsv(answer)}) {
    EXPECT_EQ(out.find_first_of("\x1b\x07\xff"), std::string::npos);
    EXPECT_NE(out.find("owned"), std::string::npos);
  }
}

TEST(Text, AnEmptyAnswerIsAnEmptyLine) { EXPECT_EQ(ToText({}), "\n"); }

TEST(Text, LinesNeverEndInSpaces) {
  ReportSet answer = SampleAnswer();
  answer.reports[0].tables[1].rows[0][0] = std::string("padded   ");
  answer.reports[0].metrics[0].value = std::string("padded ");
  for (const int width : {0, 30, 100}) {
    EXPECT_EQ(ToText(answer, {.color = false, .width = width}).find(" \n"), std::string::npos);
  }
}

}  // namespace
}  // namespace stepscope::text_test
