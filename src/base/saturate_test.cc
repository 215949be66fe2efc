// Tests that sums stop at the ends of int64.
#include "base/saturate.h"

#include <gtest/gtest.h>

namespace stepscope::saturate_test {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(AddSaturated, AddsWhatFits) {
  EXPECT_EQ(AddSaturated(2, 3), 5);
  EXPECT_EQ(AddSaturated(kMost - 1, 1), kMost);
  EXPECT_EQ(AddSaturated(kLeast + 1, -1), kLeast);
  EXPECT_EQ(AddSaturated(kMost, kLeast), -1);
}

TEST(AddSaturated, StopsAtTheEnds) {
  EXPECT_EQ(AddSaturated(kMost, 1), kMost);
  EXPECT_EQ(AddSaturated(1, kMost), kMost);
  EXPECT_EQ(AddSaturated(kLeast, -1), kLeast);
  EXPECT_EQ(AddSaturated(kLeast, kLeast), kLeast);
}

}  // namespace
}  // namespace stepscope::saturate_test
