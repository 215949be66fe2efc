// Tests that long tables are cut, and that this is said.
#include "stepscope/cut_rows.h"

#include <gtest/gtest.h>

#include "report/columns.h"

namespace stepscope::cut_rows_test {
namespace {

ReportSet AnswerOf(int64_t rows) {
  Table table{.key = "ranks", .title = "Ranks", .columns = {KeyColumn("rank", "rank")}};
  for (int64_t r = 0; r < rows; ++r) table.rows.push_back({r});
  ReportSet answer;
  answer.reports.push_back({.analysis = "a", .tables = {table}});
  return answer;
}

TEST(CutRows, KeepsTheFirstRowsAndCountsTheOthers) {
  ReportSet answer = AnswerOf(10);
  const auto cut = CutRows(answer, 4);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].analysis + "." + cut[0].table, "a.ranks");
  EXPECT_EQ(cut[0].rows, 10);
  const Report& report = answer.reports[0];
  ASSERT_EQ(report.tables[0].rows.size(), 4u);
  EXPECT_EQ(report.tables[0].rows[3][0], Cell(3));
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].name, "rows_left_out");
  EXPECT_EQ(report.notes[0].count, 6);
  EXPECT_NE(report.notes[0].message.str().find("stepscope table a.ranks"), std::string::npos);
}

TEST(CutRows, LeavesShortTablesAloneAndAllWhereNoneIsToBeCut) {
  for (const int64_t most : {0, 10}) {
    ReportSet answer = AnswerOf(10);
    EXPECT_TRUE(CutRows(answer, most).empty());
    EXPECT_EQ(answer.reports[0].tables[0].rows.size(), 10u);
    EXPECT_TRUE(answer.reports[0].notes.empty());
  }
}

}  // namespace
}  // namespace stepscope::cut_rows_test
