// Tests that random numbers are equal everywhere and have their distribution.
#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::random_test {
namespace {

constexpr double kSigmas = 4;

TEST(RandomTest, FractionsFillTheirRange) {
  Random random(5, 0);
  constexpr int kDraws = 100'000;
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.Fraction();
    sum += x;
    least = std::fmin(least, x);
    most = std::fmax(most, x);
  }
  EXPECT_NEAR(sum / kDraws, 0.5, kSigmas * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 1e-3);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 1 - 1e-3);
}

TEST(RandomTest, ExponentialHasItsMomentsAndTail) {
  Random random(7, 0);
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0;
  int above = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.Exponential();
    sum += x;
    squares += x * x;
    above += x > 3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 1, kSigmas / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 2, kSigmas * std::sqrt(20.0 / kDraws));  // E x^4 - 4 = 20
  const double tail = std::exp(-3.0);
  EXPECT_NEAR(above / double{kDraws}, tail, kSigmas * std::sqrt(tail / kDraws));
}

}  // namespace
}  // namespace stepscope::random_test
