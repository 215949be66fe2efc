// Tests that the names with the most time stay, and that a note sums up the others.
#include "session/cut_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/columns.h"

namespace stepscope::cut_names_test {
namespace {

// Kernels a, b, c, d on two ranks, with 4, 3, 2 and 1 ns on each.
Report Kernels() {
  Table table{.key = "kernels",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("name", "name"),
                          CountColumn("count", "count"), TimeColumn("sum", "sum")}};
  for (const int64_t rank : {0, 1}) {
    for (int64_t k = 0; k < 4; ++k)
      table.rows.push_back({rank, std::string(1, static_cast<char>('a' + k)), int64_t{1}, 4 - k});
  }
  Report report{.analysis = "kernels"};
  report.tables.push_back(std::move(table));
  return report;
}

std::string NamesIn(const Report& report) {
  std::string names;
  for (const auto& row : report.tables[0].rows) names += std::get<std::string>(row[1]);
  return names;
}

TEST(CutNames, KeepsThoseWithTheMostTimeInTheirOrder) {
  Report report = Kernels();
  CutNames(report, 2);
  EXPECT_EQ(NamesIn(report), "abab");
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].count, 4);
  EXPECT_EQ(std::string(report.notes[0].message),
            "rows were left out of table kernels: its 2 names with the least time (6 ns in all; "
            "set `most_names` to 0 to keep them)");
}

TEST(CutNames, FewNamesInManyRowsAndZeroCutNothing) {
  for (const int64_t most : {0, 4, 7}) {
    Report report = Kernels();
    CutNames(report, most);
    EXPECT_EQ(report.tables[0].rows.size(), 8u) << most;
    EXPECT_TRUE(report.notes.empty()) << most;
  }
}

}  // namespace
}  // namespace stepscope::cut_names_test
