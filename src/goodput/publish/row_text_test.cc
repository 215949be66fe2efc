// Tests how rows become text for databases.
#include "goodput/publish/row_text.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::goodput::row_text_test {
namespace {

std::string Line(const Cell& cell, GoodputRowType type = GoodputRowType::kText) {
  std::string line;
  AppendCell(cell, type, line);
  return line;
}

TEST(RowText, EscapesWhatEndsCellsAndLines) {
  EXPECT_EQ(Line(std::string("a\tb\nc\\d\re")), "a\\tb\\nc\\\\d\\re");
  EXPECT_EQ(Line(std::string("\\N")), "\\\\N");
  EXPECT_EQ(Line(Cell()), "\\N");
  EXPECT_EQ(Line(std::string()), "");
}

TEST(RowText, NumbersKeepAllTheirDigits) {
  EXPECT_EQ(Line(int64_t{-1}, GoodputRowType::kInteger), "-1");
  EXPECT_EQ(Line(0.1, GoodputRowType::kReal), "0.1");
  EXPECT_EQ(Line(1.0 / 3, GoodputRowType::kReal), "0.3333333333333333");
  EXPECT_EQ(Line(int64_t{20574}, GoodputRowType::kDate), "2026-05-01");
  EXPECT_EQ(Line(int64_t{-1}, GoodputRowType::kDate), "1969-12-31");
}

TEST(RowText, MonthsBeginOnTheirFirstDay) {
  for (const int64_t day : {-1, 0, 58, 59, 20574, 20604, 60000}) {
    const int64_t month = MonthOf(day);
    EXPECT_LE(FirstDayOf(month), day);
    EXPECT_GT(FirstDayOf(month + 1), day);
  }
  EXPECT_EQ(MonthOf(20574), 2026 * 12 + 4);
}

// Names that no database takes as they are stay different from each other and from others.
TEST(RowText, StoredTextsAreValidAndDifferent) {
  EXPECT_EQ(StoredText("ß 'x'"), "ß 'x'");
  const std::string one = StoredText("a\xff"), other = StoredText("a\xfe"),
                    third = StoredText(std::string_view("a\0", 2));
  EXPECT_NE(one, other);
  EXPECT_NE(third, StoredText("a "));
  EXPECT_EQ(third.find('\0'), third.npos);
  EXPECT_EQ(StoredText(one), one);
}

TEST(RowText, DaysBeforeTheFirstKeptOneAreLeftOut) {
  const GoodputRowTableInfo info{
      .table = GoodputRowTable::kDays,
      .columns = {{"job", GoodputRowType::kText}, {"day", GoodputRowType::kDate}}};
  RowText text;
  const std::vector<Cell> early{std::string("j"), int64_t{20573}};
  const std::vector<Cell> kept{std::string("j"), int64_t{20574}};
  text.Add(info, early, "7", 20574);
  text.Add(info, kept, "7", 20574);
  EXPECT_EQ(text.lines[1], "j\t2026-05-01\t7\n");
  EXPECT_EQ(text.rows, 1);
  EXPECT_EQ(text.months[1].size(), 1u);
}

}  // namespace
}  // namespace stepscope::goodput::row_text_test
