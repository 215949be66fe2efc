// Tests which values recur.
#include "base/period.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace stepscope::period_test {
namespace {

// Of values that follow one another.
std::optional<Period> PeriodOf(const std::vector<int64_t>& values, double least) {
  std::vector<int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 100);
  return FindPeriod(places, values, least);
}

TEST(Period, EveryFifthValueIsHigh) {
  std::vector<int64_t> values;
  for (int64_t i = 3; i < 23; ++i) values.push_back(i % 5 == 4 ? 90 + i : 10 + i % 3);
  const auto period = PeriodOf(values, 1);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->members.front(), 1u);
  EXPECT_EQ(period->every, 5);
  EXPECT_EQ(period->members.size(), 4u);
  EXPECT_EQ(period->usual, 11);
}

TEST(Period, TheFirstValueMayBeExceptional) {
  EXPECT_EQ(PeriodOf({80, 5, 50, 5, 5, 50, 5, 5, 50, 5}, 1)->members.front(), 2u);
  EXPECT_FALSE(PeriodOf({5, 80, 5, 50, 5, 5, 50, 5, 5, 50}, 1));
}

TEST(Period, OneOfThemMayBeMuchLowerThanTheOthers) {
  const auto period = PeriodOf({18, 19, 95, 18, 17, 18, 19, 96, 17, 18, 19, 18, 34, 18}, 9);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->every, 5);
  EXPECT_EQ(period->members.size(), 3u);
  EXPECT_FALSE(PeriodOf({18, 19, 95, 18, 17, 18, 40, 96, 17, 18, 19, 18, 34, 18}, 9));
}

TEST(Period, NeedsThreeOfThemAndNoneMissing) {
  EXPECT_FALSE(PeriodOf({5, 5, 50, 5, 5, 50, 5, 5}, 1));
  EXPECT_FALSE(PeriodOf({5, 50, 5, 50, 5, 5, 5, 50, 5, 50}, 1));
  EXPECT_FALSE(PeriodOf({5, 50, 5, 50, 5, 50, 5, 5, 5, 5}, 1));
  EXPECT_TRUE(PeriodOf({5, 50, 5, 50, 5, 50, 5}, 1));
  EXPECT_FALSE(PeriodOf({5, 50, 5, 50, 5, 50, 5}, 100));
  EXPECT_FALSE(PeriodOf({5, 5, 5, 5, 5, 5, 5}, 1));
}

// Steps that were not recorded, as between two windows, may be of it or not.
TEST(Period, PlacesThatAreMissingSayNothing) {
  const std::vector<int64_t> places = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::vector<int64_t> values;
  for (const int64_t place : places) values.push_back(place % 4 == 1 ? 90 : 10 + place % 3);
  const auto period = FindPeriod(places, values, 1);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->every, 4);
  EXPECT_EQ(period->members.size(), 4u);
  values[8] = 90;
  EXPECT_FALSE(FindPeriod(places, values, 1));
}

TEST(Period, OthersMayBeBeyondTheSpreadOfMost) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 60; ++i) values.push_back(i % 20 == 3 ? 160'000 + i : i % 2 * 1300);
  values[31] = 14'700;
  values[47] = 11'000;
  const auto period = PeriodOf(values, 1600);
  ASSERT_TRUE(period);
  EXPECT_EQ(period->every, 20);
}

TEST(Period, NoiseHasNone) {
  std::mt19937 random(7);
  std::exponential_distribution<double> noise(0.01);
  int found = 0;
  for (int series = 0; series < 1000; ++series) {
    std::vector<int64_t> values(20);
    for (int64_t& value : values) value = 1000 + static_cast<int64_t>(noise(random));
    found += PeriodOf(values, 50) ? 1 : 0;
  }
  EXPECT_LE(found, 5);
}

}  // namespace
}  // namespace stepscope::period_test
