// Tests the syntax of changes.
#include "facts/paths/what_if.h"

#include <gtest/gtest.h>

namespace stepscope::what_if_test {
namespace {

TEST(WhatIf, ReadsChanges) {
  const auto changes = ParseChanges("kernel:GEMM* * 0.5;operator: aten::copy_ = 0 ; ;launch*1.5");
  ASSERT_TRUE(changes) << changes.error().what;
  ASSERT_EQ(changes->size(), 3u);
  EXPECT_EQ((*changes)[0].target, Change::Target::kKernel);
  EXPECT_EQ((*changes)[0].name, "gemm*");
  EXPECT_EQ((*changes)[0].factor, 0.5);
  EXPECT_EQ((*changes)[1].target, Change::Target::kOperator);
  EXPECT_EQ((*changes)[1].name, "aten::copy_");
  EXPECT_EQ((*changes)[1].factor, 0);
  EXPECT_EQ((*changes)[2].target, Change::Target::kBound);
  EXPECT_EQ((*changes)[2].bound, Bound::kLaunch);
  EXPECT_TRUE(ParseChanges("")->empty());
  EXPECT_TRUE(ParseChanges(" ; ")->empty());
}

TEST(WhatIf, SaysWhatItCannotRead) {
  for (const char* text : {"gemm", "kernel:*0", "kernel:a*", "compute*-1", "compute*1001",
                           "compute*nan", "compute=2", "computes*0", "*0", "=", "compute*1e400"}) {
    const auto changes = ParseChanges(text);
    ASSERT_FALSE(changes) << text;
    EXPECT_TRUE(changes.error().what.contains(text)) << changes.error().what;
    EXPECT_TRUE(changes.error().hint.contains("kernel:TEXT*F"));
  }
}

}  // namespace
}  // namespace stepscope::what_if_test
