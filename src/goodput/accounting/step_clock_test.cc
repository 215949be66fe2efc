// Checks step times by class: medians within 1/64, means exact within a class.
#include "goodput/accounting/step_clock.h"

#include <gtest/gtest.h>

#include "base/time_units.h"

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
  // 2 % more are another class.
  StepClock near;
  for (const int64_t duration : {1000, 1000, 1020}) near.Add(duration * kMs);
  EXPECT_EQ(near.median(), 1000 * kMs);
  clock.Add(INT64_MAX);
  clock.Add(INT64_MAX);
  EXPECT_GT(*clock.ideal(), 0);
}

// Each process that records has two clocks.
TEST(StepClock, StepsOfOneLengthTakeFewClasses) {
  StepClock clock;
  for (int64_t k = 0; k < 1000; ++k) clock.Add(40 * kMs + k * 1000);
  EXPECT_LE(clock.classes(), 4U);
  clock.Add(7'200'000 * kMs);  // a clock was set
  EXPECT_LE(clock.classes(), 5U);
  EXPECT_EQ(clock.StepsUpTo(kMs), 0);
  clock.Add(kMs);  // a shorter one
  EXPECT_EQ(clock.StepsUpTo(kMs), 1);
  EXPECT_EQ(clock.StepsUpTo(60'000 * kMs), 1001);
  EXPECT_EQ(clock.StepsUpTo(8'000'000 * kMs), 1002);
  StepClock all;
  all.Add(50 * kMs);
  all.Add(clock);
  EXPECT_EQ(all.StepsUpTo(kMs), 1);
  EXPECT_EQ(all.steps(), 1003);
  StateWriter state;
  all.Save(state);
  StepClock loaded;
  StateReader in(state.bytes());
  loaded.Load(in);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(loaded.classes(), all.classes());
  EXPECT_EQ(loaded.median(), all.median());
  EXPECT_EQ(loaded.sum(), all.sum());
  EXPECT_EQ(loaded.StepsUpTo(kMs), 1);
}

// Of 1, 2, ... 10 s: the median is 5, the median deviation 2, so that up to 11 s is not slow; of 20
// and 30 s, both are.
TEST(StepClock, TheIdealIsTheMeanOfStepsThatAreNotSlow) {
  StepClock clock;
  for (int64_t k = 1; k <= 10; ++k) clock.Add(k * 1000 * kMs);
  EXPECT_EQ(clock.median(), 5000 * kMs);
  EXPECT_EQ(clock.ideal(), 5500 * kMs);
  EXPECT_EQ(clock.sum(), 55'000 * kMs);
  EXPECT_EQ(clock.last(), 10'000 * kMs);
  // Of 10 deviations of 0.5 to 4.5 s the ninth.
  EXPECT_EQ(clock.recent_deviation(), 4500 * kMs);
  EXPECT_EQ(clock.StepsUpTo(3000 * kMs), 3);
  EXPECT_EQ(clock.StepsUpTo(2900 * kMs), 2);
  EXPECT_EQ(clock.StepsUpTo(60'000 * kMs), 10);
}

TEST(StepClock, NothingIsKnownOfNoSteps) {
  const StepClock clock;
  EXPECT_FALSE(clock.median() || clock.last() || clock.recent_deviation());
  EXPECT_EQ(clock.StepsUpTo(kMs), 0);
}

// Steps of one clock and then of another are as those of one clock.
TEST(StepClock, ALaterClockContinuesIt) {
  for (const int split : {0, 1, 40, 100, 130, 259, 260}) {
    StepClock all, first, second;
    for (int k = 0; k < 260; ++k) {
      const int64_t duration = (k < 155 ? 100 + k : 2000 + k * 7 % 300) * kMs;
      all.Add(duration);
      (k < split ? first : second).Add(duration);
    }
    first.Add(second);
    EXPECT_EQ(first.steps(), 260) << split;
    EXPECT_EQ(first.sum(), all.sum()) << split;
    EXPECT_EQ(first.median(), all.median()) << split;
    EXPECT_EQ(first.ideal(), all.ideal()) << split;
    EXPECT_EQ(first.last(), all.last()) << split;
    EXPECT_EQ(first.recent_deviation(), all.recent_deviation()) << split;
    first.Add(50'000 * kMs);
    all.Add(50'000 * kMs);
    EXPECT_EQ(first.recent_deviation(), all.recent_deviation()) << split;
  }
}

TEST(StepClock, ASavedOneGoesOn) {
  StepClock clock, loaded;
  for (int k = 1; k <= 130; ++k) clock.Add(k * k * kMs);
  StateWriter out;
  clock.Save(out);
  StateReader in(out.bytes());
  loaded.Load(in);
  ASSERT_TRUE(in.ok());
  for (StepClock* each : {&clock, &loaded}) each->Add(7 * kMs);
  EXPECT_EQ(loaded.steps(), 131);
  EXPECT_EQ(loaded.sum(), clock.sum());
  EXPECT_EQ(loaded.median(), clock.median());
  EXPECT_EQ(loaded.ideal(), clock.ideal());
  EXPECT_EQ(loaded.recent_deviation(), clock.recent_deviation());
}

// Of ten the ninth, in order of size.
TEST(StepClock, TheDeviationThatNineInTenDoNotExceed) {
  StepClock clock;
  for (int k = 0; k < 9; ++k) clock.Add(10 * kSecond);
  clock.Add(11 * kSecond);
  EXPECT_EQ(clock.recent_deviation(), 0);
  clock.Add(11 * kSecond);
  EXPECT_EQ(clock.recent_deviation(), kSecond);
}

// As a process that is over: it answers the same, and goes on.
TEST(StepClock, OneThatFitsAnswersTheSame) {
  StepClock clock;
  for (int64_t k = 0; k < 250; ++k) clock.Add(40 * kMs + (k * 7919 % 1000) * 1000);
  StepClock fitted = clock;
  fitted.Fit();
  fitted.Fit();
  EXPECT_LT(2 * fitted.bytes(), clock.bytes());
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(fitted.last(), clock.last());
    EXPECT_EQ(fitted.recent_deviation(), clock.recent_deviation());
    StateWriter one, other;
    clock.Save(one);
    fitted.Save(other);
    EXPECT_EQ(one.bytes(), other.bytes());
    StepClock sum = clock, same = clock;
    sum.Add(clock);
    same.Add(fitted);
    EXPECT_EQ(sum.recent_deviation(), same.recent_deviation());
    for (StepClock* each : {&clock, &fitted}) each->Add(90 * kMs);
  }
}

}  // namespace
}  // namespace stepscope::goodput::step_clock_test
