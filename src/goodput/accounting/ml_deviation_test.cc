// Checks the usual time of a step and the published deviation, by the reference library's rules.
#include "goodput/accounting/ml_deviation.h"

#include <gtest/gtest.h>

namespace stepscope::goodput::ml_deviation_test {
namespace {

using Steps = std::vector<std::pair<int64_t, double>>;

Steps Of(const std::vector<double>& times) {
  Steps steps;
  for (size_t k = 0; k < times.size(); ++k) steps.emplace_back(static_cast<int64_t>(k), times[k]);
  return steps;
}

// The median of 2, 2, 3, 4, 10 is 3, its deviations 1, 1, 0, 1, 7: up to 3 + 3 * 1 is not slow.
TEST(MlDeviation, SlowStepsAreNotUsual) {
  const MlDeviation d = DeviationOf(Of({2, 2, 3, 4, 10}), std::nullopt);
  EXPECT_DOUBLE_EQ(d.ideal.value(), 2.75);
  EXPECT_DOUBLE_EQ(d.by_step[4].second, 7.25);
  // 0.75, 0.75, 0.25, 1.25, 7.25
  EXPECT_DOUBLE_EQ(d.cumulative.value(), 2.05);
  EXPECT_DOUBLE_EQ(d.interval.value(), 2.05);
  const MlDeviation same = DeviationOf(Of({2, 2, 3, 4, 6}), std::nullopt);
  EXPECT_DOUBLE_EQ(same.ideal.value(), 3.4) << "6 is the limit";
}

TEST(MlDeviation, StepsBelowASecondSayNothingOfTheUsualOne) {
  EXPECT_DOUBLE_EQ(DeviationOf(Of({0.5, 1, 1, 0.9}), std::nullopt).ideal.value(), 1);
  const MlDeviation d = DeviationOf(Of({0.5, 0.9}), std::nullopt);
  EXPECT_FALSE(d.ideal || d.cumulative || d.interval);
  EXPECT_EQ(d.times.size(), 2u);
  EXPECT_FALSE(DeviationOf({}, 3.0).cumulative);
}

TEST(MlDeviation, FasterStepsAreNegativeIfAsked) {
  const MlDeviation d = DeviationOf(Of({2, 5}), 4.0, true);
  EXPECT_EQ(d.by_step, Of({-2, 1}));
  EXPECT_DOUBLE_EQ(d.cumulative.value(), 1.5) << "without their sign";
  EXPECT_EQ(DeviationOf(Of({2, 5}), 4.0).by_step, Of({2, 1}));
}

// Step k deviates by k.
Steps Rising(int64_t count) {
  std::vector<double> times;
  for (int64_t k = 0; k < count; ++k) times.push_back(10.0 + static_cast<double>(k));
  return Of(times);
}

TEST(MlDeviation, ThePublishedNumberIsOfTheLastHundred) {
  EXPECT_DOUBLE_EQ(DeviationOf(Rising(99), 10.0).cumulative.value(), 49) << "the mean of fewer";
  // The 90th percentile of 0 to 99.
  EXPECT_DOUBLE_EQ(DeviationOf(Rising(100), 10.0).cumulative.value(), 89.1);
  EXPECT_DOUBLE_EQ(DeviationOf(Rising(1099), 10.0).cumulative.value(), 999 + 89.1);
  // Less the median of the 1000 before: 0 to 999.
  const MlDeviation d = DeviationOf(Rising(1100), 10.0);
  EXPECT_DOUBLE_EQ(d.interval.value(), 1000 + 89.1);
  EXPECT_DOUBLE_EQ(d.cumulative.value(), 1000 + 89.1 - 499.5);
}

}  // namespace
}  // namespace stepscope::goodput::ml_deviation_test
