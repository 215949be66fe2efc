// Tests statistics of values against those of pandas.
#include "base/value_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::value_statistics_test {
namespace {

// As pandas 2.3: Series([40, 10, 30, 20]).describe() and Series([7, 1, 1000, 3, 2, 9]).describe().
TEST(ValueStatistics, AreThoseOfPandas) {
  std::vector<int64_t> four = {40, 10, 30, 20}, six = {7, 1, 1000, 3, 2, 9};
  const ValueStatistics a = DescribeValues(four), b = DescribeValues(six);
  EXPECT_EQ(a.count, 4);
  EXPECT_EQ(a.mean, 25);
  EXPECT_NEAR(a.stddev, 12.909944487358056, 1e-12);
  EXPECT_EQ(a.min, 10);
  EXPECT_EQ(a.p25, 17.5);
  EXPECT_EQ(a.p50, 25);
  EXPECT_EQ(a.p75, 32.5);
  EXPECT_EQ(a.max, 40);
  EXPECT_EQ(b.p25, 2.25);
  EXPECT_EQ(b.p50, 5);
  EXPECT_EQ(b.p75, 8.5);
  EXPECT_NEAR(b.stddev, 406.46361050734504, 1e-9);
}

TEST(ValueStatistics, OfOneValueAndOfNone) {
  std::vector<int64_t> one = {7}, none;
  EXPECT_EQ(DescribeValues(one).p75, 7);
  EXPECT_EQ(DescribeValues(one).stddev, 0);
  EXPECT_EQ(DescribeValues(none).count, 0);
}

// Whatever the number of values and their order, selection finds what sorting finds.
TEST(ValueStatistics, SelectWhatSortingFinds) {
  for (int64_t count = 1; count < 60; ++count) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(i * 7919 % 31);
    std::vector<int64_t> sorted = values;
    std::ranges::sort(sorted);
    const auto at = [&](double share) {
      const double place = share * static_cast<double>(count - 1);
      const auto below = static_cast<size_t>(place);
      const auto low = static_cast<double>(sorted[below]);
      const auto high = static_cast<double>(sorted[std::min(below + 1, sorted.size() - 1)]);
      return low + (high - low) * (place - static_cast<double>(below));
    };
    const ValueStatistics s = DescribeValues(values);
    EXPECT_DOUBLE_EQ(s.p25, at(0.25));
    EXPECT_DOUBLE_EQ(s.p50, at(0.5));
    EXPECT_DOUBLE_EQ(s.p75, at(0.75));
  }
}

}  // namespace
}  // namespace stepscope::value_statistics_test
