// Checks inserted numbers against a std::set.
#include "goodput/events/sequences.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace stepscope::goodput::sequences_test {
namespace {

TEST(Sequences, InsertReturnsTrueOnce) {
  Sequences seen;
  for (const int64_t number : {5, 6, 9, 7, 4, 8, 0}) EXPECT_TRUE(seen.Insert(number)) << number;
  for (const int64_t number : {0, 4, 5, 6, 7, 8, 9}) EXPECT_FALSE(seen.Insert(number)) << number;
  EXPECT_TRUE(seen.Insert(10));
  EXPECT_TRUE(seen.Insert(3));
  EXPECT_FALSE(seen.Insert(3));
}

TEST(Sequences, AgreeWithASet) {
  std::mt19937 random(7);
  Sequences seen;
  std::set<int64_t> all;
  for (int k = 0; k < 20'000; ++k) {
    const auto number = static_cast<int64_t>(random() % 5000);
    ASSERT_EQ(seen.Contains(number), all.contains(number)) << number;
    ASSERT_EQ(seen.Insert(number), all.insert(number).second) << number;
  }
}

}  // namespace
}  // namespace stepscope::goodput::sequences_test
