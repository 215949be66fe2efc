// Tests which names a pattern is found in.
#include "base/word_pattern.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

bool Finds(std::string_view pattern, std::string_view name) {
  return WordPattern(pattern).IsIn(name);
}

TEST(WordPattern, IsARunOfWholeWords) {
  EXPECT_TRUE(Finds("gemm*", "void gemm_kernel<float>(int)"));
  EXPECT_TRUE(Finds("GEMM_kernel", "void gemm_kernel<float>(int)"));
  EXPECT_TRUE(Finds("aten::linear", "aten::linear"));
  EXPECT_TRUE(Finds("gemm", "a gemm b"));
  EXPECT_FALSE(Finds("gemm", "void gemm_kernel<float>(int)"));
  EXPECT_FALSE(Finds("kernel", "gemm_kernel"));
  EXPECT_FALSE(Finds("aten::linear", "aten::linear_backward"));
}

TEST(WordPattern, AStarStandsForAnyText) {
  EXPECT_TRUE(Finds("*kernel", "gemm_kernel<float>"));
  EXPECT_TRUE(Finds("g*f*", "void gemm_kernel<float>"));
  EXPECT_TRUE(Finds("*", "anything"));
  EXPECT_FALSE(Finds("f*g*", "void gemm_kernel<float>"));
  EXPECT_FALSE(Finds("g*ker", "gemm_kernel"));
}

TEST(WordPattern, OfNothingIsNowhere) {
  EXPECT_FALSE(Finds("", "gemm"));
  EXPECT_FALSE(Finds("gemm", ""));
}

}  // namespace
}  // namespace stepscope
