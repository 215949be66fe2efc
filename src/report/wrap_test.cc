// Tests where lines of text break.
#include "report/wrap.h"

#include <gtest/gtest.h>

namespace stepscope::testing::wrap_test {
namespace {

using Lines = std::vector<std::string>;

TEST(Wrap, BreaksAtSpacesAndKeepsNumbersWithTheirUnits) {
  EXPECT_EQ(WrapLines("a step takes 12 ms now", 11, 8), (Lines{"a step", "takes", "12 ms", "now"}));
  EXPECT_EQ(WrapLines("longer_than_the_line", 5, 5), (Lines{"longer_than_the_line"}));
  EXPECT_EQ(WrapLines("", 5, 5), (Lines{""}));
}

TEST(Wrap, BreaksBesideLettersOfScriptsWithoutSpaces) {
  EXPECT_EQ(WrapLines("計算が長い", 6, 4), (Lines{"計算が", "長い"}));
  EXPECT_EQ(WrapLines("GPUの計算", 5, 9), (Lines{"GPUの", "計算"}));
}

TEST(Wrap, BeginsNoLineWithAClosingMark) {
  EXPECT_EQ(WrapLines("計算、待ち", 4, 6), (Lines{"計", "算、待", "ち"}));
}

TEST(Wrap, TakesTheLastWordAway) {
  EXPECT_EQ(WithoutLastWord("takes 12 ms"), "takes");
  EXPECT_EQ(WithoutLastWord("計算が"), "計算");
  EXPECT_EQ(WithoutLastWord("word"), "");
}

}  // namespace
}  // namespace stepscope::testing::wrap_test
