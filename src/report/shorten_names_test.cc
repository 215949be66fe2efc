// Tests that names of a column stay different when they are cut.
#include "report/shorten_names.h"

#include <gtest/gtest.h>

#include <set>

#include "report/display_width.h"

namespace stepscope {
namespace {

using Names = std::vector<std::string>;

Names Shortened(const Names& whole, size_t width) {
  const std::vector<std::string_view> names(whole.begin(), whole.end());
  return ShortenNames(names, width).names;
}

TEST(ShortenNames, CutsInTheMiddle) {
  EXPECT_EQ(Shortened({"gemm", "ncclDevKernel_AllReduce_Sum_f32", "gemm"}, 12),
            (Names{"gemm", "ncclDevK…f32", "gemm"}));
}

TEST(ShortenNames, ThatDifferInTheMiddleShowWhere) {
  EXPECT_EQ(Shortened({"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NTT",
                       "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT",
                       "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"},
                      12),
            (Names{"…256x128…NTT", "…128x256…NTT", "nvjet_ts…TNT"}));
}

TEST(ShortenNames, ThatDifferInSeveralPlacesShowOneWhereTheyDo) {
  EXPECT_EQ(Shortened({"nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NTT",
                       "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT",
                       "nvjet_tst_128x256_64x4_2x1_h_bz_coopA_NTT"},
                      12),
            (Names{"…256x128…NTT", "…1x2_h_b…NTT", "…2x1_h_b…NTT"}));
}

TEST(ShortenNames, TakesMoreRoomWhereThatTellsThemApart) {
  const Names whole = {"gemm_a1234567890123456789_x_NTT", "gemm_a1234567890123456780_x_NTT"};
  const Names shown = Shortened(whole, 12);
  EXPECT_NE(shown[0], shown[1]);
  for (const std::string& name : shown) EXPECT_LE(DisplayWidth(name), 44u) << name;
}

// Each differs from the next in one character, wherever it is.
TEST(ShortenNames, KeepsManyApart) {
  Names whole;
  for (size_t i = 0; i < 60; ++i) {
    whole.emplace_back(30, 'k');
    whole.back()[i % 30] = i < 30 ? 'x' : 'y';
  }
  const Names shown = Shortened(whole, 12);
  EXPECT_EQ(std::set(shown.begin(), shown.end()).size(), whole.size());
}

TEST(ShortenNames, WithoutRoomOrNamesNothingBreaks) {
  EXPECT_EQ(Shortened({}, 12), Names{});
  EXPECT_EQ(Shortened({"日本語の名前", "日本語の名札"}, 5).size(), 2u);
  EXPECT_EQ(Shortened({"", "a"}, 0).size(), 2u);
}

}  // namespace
}  // namespace stepscope
