// Tests which values recur.
#include "base/period.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stepscope::period_test {
namespace {

TEST(Period, EveryFifthValueIsHigh) {
  std::vector<int64_t> values;
  for (int64_t i = 3; i < 23; ++i) values.push_back(i % 5 == 4 ? 90 + i : 10 + i % 3);
  const auto period = FindPeriod(values, 1);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->first, 1u);
  EXPECT_EQ(period->every, 5u);
  EXPECT_EQ(period->times, 4u);
  EXPECT_EQ(period->usual, 11);
}

TEST(Period, TheFirstValueMayBeExceptional) {
  EXPECT_EQ(FindPeriod(std::vector<int64_t>{80, 5, 50, 5, 5, 50, 5, 5, 50, 5}, 1)->first, 2u);
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 80, 5, 50, 5, 5, 50, 5, 5, 50}, 1));
}

TEST(Period, OneOfThemMayBeMuchLowerThanTheOthers) {
  const auto period =
      FindPeriod(std::vector<int64_t>{18, 19, 95, 18, 17, 18, 19, 96, 17, 18, 19, 18, 34, 18}, 9);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->every, 5u);
  EXPECT_EQ(period->times, 3u);
  EXPECT_FALSE(
      FindPeriod(std::vector<int64_t>{18, 19, 95, 18, 17, 18, 40, 96, 17, 18, 19, 18, 34, 18}, 9));
}

TEST(Period, NeedsThreeOfThemAndNoneMissing) {
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 5, 50, 5, 5, 50, 5, 5}, 1));
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 50, 5, 50, 5, 5, 5, 50, 5, 50}, 1));
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 50, 5, 50, 5, 50, 5, 5, 5, 5}, 1));
  EXPECT_TRUE(FindPeriod(std::vector<int64_t>{5, 50, 5, 50, 5, 50, 5}, 1));
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 50, 5, 50, 5, 50, 5}, 100));
  EXPECT_FALSE(FindPeriod(std::vector<int64_t>{5, 5, 5, 5, 5, 5, 5}, 1));
}

TEST(Period, NoiseHasNone) {
  std::mt19937 random(7);
  std::exponential_distribution<double> noise(0.01);
  int found = 0;
  for (int series = 0; series < 1000; ++series) {
    std::vector<int64_t> values(20);
    for (int64_t& value : values) value = 1000 + static_cast<int64_t>(noise(random));
    found += FindPeriod(values, 50) ? 1 : 0;
  }
  EXPECT_LE(found, 5);
}

}  // namespace
}  // namespace stepscope::period_test
