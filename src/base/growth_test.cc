// Tests growth: of lines, and not of changes of level or of noise.
#include "base/growth.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "base/random.h"

namespace stepscope::growth_test {
namespace {

using Values = std::vector<int64_t>;

Values Make(size_t count, const std::function<double(size_t)>& at) {
  Values values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<int64_t>(at(i)));
  return values;
}

TEST(Growth, IsOfALineAlsoWithNoise) {
  const auto line = FindGrowth(Values{0, 20, 40, 60, 80, 100}, 10);
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ(line->each, 20);
  EXPECT_DOUBLE_EQ(line->first, 0);
  Random r(1, 0);
  const auto noisy = FindGrowth(
      Make(20, [&](size_t i) { return 500.0 + 20.0 * static_cast<double>(i) + 30 * r.Fraction(); }),
      100);
  ASSERT_TRUE(noisy);
  EXPECT_NEAR(noisy->each, 20, 2);
}

TEST(Growth, IsNotOfTooFewValuesNorOfLessThanTheLeast) {
  EXPECT_FALSE(FindGrowth(Values{0, 20, 40, 60, 80}, 10));
  EXPECT_FALSE(FindGrowth(Values{0, 20, 40, 60, 80, 100}, 101));
  EXPECT_FALSE(FindGrowth(Values{100, 80, 60, 40, 20, 0}, 10));
  EXPECT_FALSE(FindGrowth(Values(20, 500), 0));
}

// Whatever the step of the change: a sudden one is no growth, with or without noise.
TEST(Growth, IsNotOfOneChangeOfLevel) {
  for (size_t count = 6; count <= 40; ++count) {
    Random r(count, 0);
    for (size_t since = 1; since < count; ++since) {
      const auto level = [&](size_t i) { return i < since ? 500.0 : 700.0; };
      EXPECT_FALSE(FindGrowth(Make(count, level), 10)) << since << " of " << count;
      const auto noisy = [&](size_t i) { return level(i) + 50 * r.Fraction(); };
      EXPECT_FALSE(FindGrowth(Make(count, noisy), 10)) << since << " of " << count;
    }
  }
}

TEST(Growth, IsHardlyEverMadeByNoise) {
  Random r(7, 0);
  for (const size_t count : {size_t{6}, size_t{8}, size_t{12}, size_t{20}, size_t{40}}) {
    int found = 0;
    for (int series = 0; series < 1000; ++series) {
      const auto values = Make(count, [&](size_t) { return 1000 + 200 * r.Fraction(); });
      found += FindGrowth(values, 20) ? 1 : 0;
    }
    EXPECT_LE(found, 10) << count;
  }
}

}  // namespace
}  // namespace stepscope::growth_test
