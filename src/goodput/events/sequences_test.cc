// Checks inserted numbers against a std::set.
#include "goodput/events/sequences.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

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

TEST(Sequences, RangesJoinWhatTheyTouch) {
  Sequences one, other;
  const std::vector<std::pair<int64_t, int64_t>> ranges{{10, 20}, {30, 40},  {5, 7},   {7, 10},
                                                        {25, 26}, {15, 31},  {50, 50}, {60, 61},
                                                        {0, 100}, {200, 201}};
  for (const auto& [first, end] : ranges) {
    one.InsertRange(first, end);
    for (int64_t number = first; number < end; ++number) other.Insert(number);
    EXPECT_EQ(one.ranges(), other.ranges()) << first;
  }
}

TEST(Sequences, CountsWhatARangeLacks) {
  Sequences seen;
  EXPECT_EQ(seen.MissingIn(0, 10), 10);
  seen.InsertRange(2, 5);
  seen.InsertRange(8, 20);
  EXPECT_EQ(seen.MissingIn(0, 10), 5);
  EXPECT_EQ(seen.MissingIn(2, 5), 0);
  EXPECT_EQ(seen.MissingIn(3, 9), 3);
  EXPECT_EQ(seen.MissingIn(19, 25), 5);
  EXPECT_EQ(seen.MissingIn(4, 4), 0);
}

}  // namespace
}  // namespace stepscope::goodput::sequences_test
