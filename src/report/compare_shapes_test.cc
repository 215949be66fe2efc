// Tests the comparison by shape: calls of the same sizes that became slower are findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "report/columns.h"
#include "stepscope/compare.h"

namespace stepscope::compare_shapes_test {
namespace {

struct Calls {
  const char* call;
  int64_t count, time;  // ns
  const char* kind = "compute";
};

// A run of one kernel with all of the time, and these shapes.
ReportSet RunOf(const std::vector<Calls>& shapes, const char* kernel = "gemm") {
  Report by_shape{.analysis = "shapes", .title = "Shapes", .headline = "So."};
  Table table{.key = "shapes",
              .title = "Shapes",
              .columns = {{"id", "id", Unit::kNone, Role::kKey},
                          {"call", "call", Unit::kNone, Role::kKey},
                          {"calls", "calls", Unit::kCount},
                          {"device_time", "time", Unit::kNanoseconds},
                          {"kind", "kind"}},
              .kind_column = "kind"};
  int64_t all = 0;
  for (const Calls& s : shapes) {
    table.rows.push_back({std::string("id of ") + s.call, s.call, s.count, s.time, s.kind});
    all += s.time;
  }
  by_shape.tables.push_back(std::move(table));
  Report kernels{.analysis = "kernel_breakdown", .title = "Kernels", .headline = "So."};
  kernels.tables = {{.key = "kernels",
                     .title = "Kernels",
                     .columns = {{"name", "name", Unit::kNone, Role::kKey},
                                 {"count", "count", Unit::kCount},
                                 {"sum", "sum", Unit::kNanoseconds}},
                     .rows = {{kernel, int64_t{1}, all}}}};
  ReportSet answer;
  answer.reports = {std::move(by_shape), std::move(kernels)};
  return answer;
}

// The message of the finding about a shape, wherever it is; empty: there is none.
std::string About(const ReportSet& answer) {
  for (const Finding& finding : answer.reports[0].findings) {
    if (finding.message.starts_with("Calls of ")) return finding.message;
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.message.starts_with("Calls of ")) return evidence.message;
    }
  }
  return {};
}

TEST(CompareShapes, SlowerCallsOfOneShapeAreAFinding) {
  const ReportSet a = RunOf({{"mm A", 4, 400}, {"mm B", 2, 100}});
  const auto answer = Compare(a, RunOf({{"mm A", 4, 600}, {"mm B", 2, 100}}));
  EXPECT_EQ(About(answer), "Calls of mm A take 50.0% longer.");
  const Finding& finding = answer.reports[0].findings.at(0);
  EXPECT_EQ(finding.because,
            "4 calls of 100 ns before, 4 calls of 150 ns after: 200 ns of device time");
  EXPECT_EQ(finding.impact, 200);
  EXPECT_EQ(finding.table, "shapes");
  const auto& tables = answer.reports[0].tables;
  const auto table = std::ranges::find(tables, "shapes", &Table::key);
  ASSERT_NE(table, tables.end());
  const ColumnOf name(*table, "name"), change(*table, "change");
  EXPECT_EQ(name.Text(table->rows[0]), "mm A");
  EXPECT_EQ(change.Text(table->rows[0]), "slower");
  EXPECT_EQ(change.Text(table->rows[1]), "same");
}

TEST(CompareShapes, MoreCallsAreNotSlowerOnes) {
  const ReportSet a = RunOf({{"mm A", 4, 400}});
  EXPECT_EQ(About(Compare(a, RunOf({{"mm A", 8, 800}}))), "");
  EXPECT_EQ(About(Compare(a, RunOf({{"mm C", 4, 900}}))), "") << "another shape";
  EXPECT_EQ(About(Compare(a, RunOf({{"mm A", 4, 410}}))), "") << "too little";
  EXPECT_EQ(About(Compare(a, RunOf({{"mm A", 4, 200}}))), "") << "faster";
}

// They may only wait longer for other ranks.
TEST(CompareShapes, CallsThatCommunicateAreLeftOut) {
  EXPECT_EQ(About(Compare(RunOf({{"all_reduce", 4, 400, "communication"}}),
                          RunOf({{"all_reduce", 4, 800, "communication"}}))),
            "");
}

TEST(CompareShapes, WithoutShapesThereIsNoTable) {
  ReportSet a = RunOf({}), b = RunOf({});
  a.reports.erase(a.reports.begin());
  b.reports.erase(b.reports.begin());
  const auto answer = Compare(a, b);
  EXPECT_TRUE(std::ranges::none_of(answer.reports[0].tables,
                                   [](const Table& table) { return table.key == "shapes"; }));
}

}  // namespace
}  // namespace stepscope::compare_shapes_test
