// Tests CSV as a spreadsheet reads it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "stepscope/write.h"
#include "tests/support/sample_answer.h"

namespace stepscope::csv_test {
namespace {

// Expected text is written with plain line ends; the face ends every line in CR LF.
std::string WithCrLf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

// What becomes of one value, as the second cell of a row.
std::string Field(const Cell& cell) {
  ReportSet answer;
  answer.reports.resize(1);
  answer.reports[0].tables.resize(1);
  answer.reports[0].tables[0].rows = {{int64_t{0}, cell}};
  const std::string csv = ToCsv(answer);
  const size_t start = csv.find("\r\n0,") + 4;
  return csv.substr(start, csv.find("\r\n", start) - start);
}

TEST(Csv, HoldsAllRowsOfAllTablesAndTheNotes) {
  constexpr std::string_view kExpected = R"csv(# idle_time.ranks: Ranks
rank,window,idle_time,idle_ratio,unused,copied
2,0,1240000,0.1234,,1500000
0,0,640,0.0,,
1,0,83500000000,,,12
# idle_time.kernels: Kernels
name,launches
"void gemm<float, 128>(Params)",12345
ncclDevKernel_AllReduce_Sum_f32,7
# idle_time.gaps: Gaps
gap
11
12
13
# memory.ranks: Ranks
rank,window,idle_time,idle_ratio,unused,copied
# run.notes: Notes
analysis,name,count,message,where
run,negative_duration,1200,events end before they begin; taken as 0 ns long,rank-0.json
run,no_correlation,2,kernels have no launch,rank-1.json
run,negative_duration,34,events end before they begin; taken as 0 ns long,rank-1.json
idle_time,window_cut,0,Only complete steps are counted.,
)csv";
  EXPECT_EQ(ToCsv(SampleAnswer()), WithCrLf(kExpected));
}

TEST(Csv, QuotesWhatWouldSplitAField) {
  EXPECT_EQ(Field("a,b"), "\"a,b\"");
  EXPECT_EQ(Field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(Field("# idle_time.ranks: no banner"), "\"# idle_time.ranks: no banner\"");
}

TEST(Csv, NamesNeverBecomeFormulas) {
  EXPECT_EQ(Field("=HYPERLINK(A1)"), "'=HYPERLINK(A1)");
  EXPECT_EQ(Field("+1"), "'+1");
  EXPECT_EQ(Field("-1"), "'-1");
  EXPECT_EQ(Field("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
  EXPECT_EQ(Field(int64_t{-1}), "-1");
}

TEST(Csv, ARecordIsOneLineOfValidText) {
  EXPECT_EQ(Field("two\r\nlines"), R"(two\r\nlines)");
  EXPECT_EQ(Field("\x1b[2J\xff"), R"(\x1b[2J\xff)");
}

TEST(Csv, NumbersAreExactAndNothingIsEmpty) {
  EXPECT_EQ(Field(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(Field(0.1), "0.1");
  EXPECT_EQ(Field(Cell{}), "");
  EXPECT_EQ(Field(std::nan("")), "");
}

}  // namespace
}  // namespace stepscope::csv_test
