// Checks step times by class: medians within 1/64, means exact within a class.
#include "goodput/accounting/step_clock.h"

#include <gtest/gtest.h>

namespace stepscope::goodput::step_clock_test {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(StepClock, OutliersDoNotChangeTheIdeal) {
  StepClock clock;
  EXPECT_FALSE(clock.ideal());
  for (int k = 0; k < 500; ++k) clock.Add(k % 50 == 7 ? 90'000 * kMs : 400 * kMs);
  EXPECT_EQ(clock.steps(), 500);
  EXPECT_EQ(clock.median(), 400 * kMs);
  EXPECT_EQ(clock.ideal(), 400 * kMs);  // steps below a second are steps too
  EXPECT_EQ(clock.recent_deviation(), 0);
}

TEST(StepClock, MedianIsWithin1Part64) {
  StepClock clock;
  for (int64_t k = 1; k <= 1001; ++k) clock.Add(k * 7 * kMs);
  EXPECT_NEAR(static_cast<double>(*clock.median()), 501.0 * 7 * kMs, 501.0 * 7 * kMs / 60);
  clock.Add(INT64_MAX);
  clock.Add(INT64_MAX);
  EXPECT_GT(*clock.ideal(), 0);
}

}  // namespace
}  // namespace stepscope::goodput::step_clock_test
