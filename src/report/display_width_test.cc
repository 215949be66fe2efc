// Tests how wide names are in a terminal, and how they are shortened.
#include "report/display_width.h"

#include <gtest/gtest.h>

namespace stepscope::display_width_test {
namespace {

TEST(DisplayWidth, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("größe"), 5u);
  EXPECT_EQ(DisplayWidth("数据"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
}

TEST(DisplayWidth, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(ShortenMiddle("short", 5), "short");
  EXPECT_EQ(ShortenMiddle("ncclDevKernel_AllReduce_Sum_f32", 12), "ncclDevK…f32");
  EXPECT_EQ(ShortenMiddle("abc", 1), "…");
  EXPECT_EQ(ShortenMiddle("数据数据数据", 6), "数据…");
}

}  // namespace
}  // namespace stepscope::display_width_test
