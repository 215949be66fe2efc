// Tests the spaces of Japanese beside other scripts.
#include "language/spacing.h"

#include <gtest/gtest.h>

namespace stepscope::testing::spacing_test {
namespace {

TEST(Spacing, PartsScriptsAndNothingElse) {
  EXPECT_EQ(SpacedJapanese("8 ランク の中央値は268 msです。"), "8 ランクの中央値は 268 ms です。");
  EXPECT_EQ(SpacedJapanese("スパンの11.0%を占める"), "スパンの 11.0% を占める");
  EXPECT_EQ(SpacedJapanese("最大: ランク 5 (aten::mm)、他"), "最大: ランク 5 (aten::mm)、他");
  EXPECT_EQ(SpacedJapanese("rank 3 computes"), "rank 3 computes");
  EXPECT_EQ(SpacedJapanese(""), "");
  EXPECT_EQ(SpacedJapanese("\xff計"), "\xff計");
}

}  // namespace
}  // namespace stepscope::testing::spacing_test
