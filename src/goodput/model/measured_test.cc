// Checks the parameters derived from sums over a job.
#include "goodput/model/measured.h"

#include <gtest/gtest.h>

#include <cmath>

#include "goodput/model/model.h"

namespace stepscope::goodput::measured_test {
namespace {

// 100 days, 160 failures, 40 of them announced.
Measured Job() {
  return {.wall_s = 8'640'000,
          .productive_s = 7'000'000,
          .interruptions = 160,
          .announced = 40,
          .emergency_saves_s = 40 * 50,
          .saves = 4000,
          .saves_s = 4000 * 30,
          .persist_s = 4000 * 120,
          .reschedule_s = 160 * 400,
          .restart_s = 160 * 200};
}

TEST(MeasuredTest, MeansBecomeParameters) {
  const auto p = ParametersOf(Job());
  ASSERT_TRUE(p);
  EXPECT_DOUBLE_EQ(p->failures_per_s, 1 / 54000.0);
  EXPECT_DOUBLE_EQ(p->save_s, 30);
  EXPECT_DOUBLE_EQ(p->persist_s, 120);
  EXPECT_DOUBLE_EQ(p->announced_share, 0.25);
  EXPECT_DOUBLE_EQ(p->emergency_save_s, 50);
  // 600 s a failure, of which one in ninety is cut off by the next failure.
  EXPECT_NEAR(p->reschedule_s + p->restart_s, -54000 * std::log(1 - 600 / 54000.0), 1e-9);
  EXPECT_NEAR(p->reschedule_s / p->restart_s, 2, 1e-12);
  // 8,422,000 s of work, 4000 saves: 2105.5 s a save, less the parts of intervals cut off.
  EXPECT_LT(p->interval_s, 2105.5);
  EXPECT_GT(p->interval_s, 2105.5 * (1 - 160.0 / 4000));
}

// A job that does exactly what the model's process does on average gives its parameters back.
TEST(MeasuredTest, RecoversTheModelsParameters) {
  const Parameters in{.failures_per_s = 1 / 5000.0,
                      .interval_s = 1000,
                      .save_s = 50,
                      .reschedule_s = 300,
                      .restart_s = 200};
  const Shares shares = ExactForm(in);
  const double wall_s = 5e9, rate = in.failures_per_s;
  const double saves = shares.goodput * wall_s / in.interval_s;
  const double restarts_s = shares.restarts * wall_s;
  const auto out = ParametersOf({.wall_s = wall_s,
                                 .productive_s = shares.goodput * wall_s,
                                 .interruptions = std::llround(rate * wall_s),
                                 .saves = std::llround(saves),
                                 .saves_s = shares.saves * wall_s,
                                 .reschedule_s = restarts_s * 0.6,
                                 .restart_s = restarts_s * 0.4});
  ASSERT_TRUE(out);
  EXPECT_NEAR(out->save_s, 50, 1e-3);
  EXPECT_NEAR(out->reschedule_s, 300, 1e-6);
  EXPECT_NEAR(out->restart_s, 200, 1e-6);
  EXPECT_NEAR(out->interval_s, 1000, 10);  // parts of saves that a failure cut off pass for work
  EXPECT_NEAR(ExactForm(*out).goodput, shares.goodput, 1e-3);
}

// What never happened cannot be measured, and leaves the rest as it is.
TEST(MeasuredTest, WhatNeverHappenedIsZero) {
  Measured job = Job();
  job.saves = 0;
  job.saves_s = 0;
  const auto unsaved = ParametersOf(job);
  ASSERT_TRUE(unsaved);
  EXPECT_EQ(unsaved->save_s, 0);
  EXPECT_EQ(unsaved->interval_s, 0);
  EXPECT_GT(unsaved->failures_per_s, 0);
  EXPECT_GT(unsaved->restart_s, 0);

  const auto calm =
      ParametersOf({.wall_s = 1100, .productive_s = 1000, .saves = 10, .saves_s = 100});
  ASSERT_TRUE(calm);
  EXPECT_EQ(calm->failures_per_s, 0);
  EXPECT_EQ(calm->restart_s, 0);
  EXPECT_EQ(calm->save_s, 10);
  EXPECT_EQ(calm->interval_s, 100);
}

TEST(MeasuredTest, ContradictionsAreErrors) {
  const auto fails = [](void (*change)(Measured&)) {
    Measured job = Job();
    change(job);
    return !ParametersOf(job).has_value();
  };
  EXPECT_TRUE(fails([](Measured& job) { job.interruptions = -1; }));
  EXPECT_TRUE(fails([](Measured& job) { job.saves = -1; }));
  EXPECT_TRUE(fails([](Measured& job) { job.announced = 161; }));
  EXPECT_TRUE(fails([](Measured& job) { job.restart_s = -1; }));
  EXPECT_TRUE(fails([](Measured& job) { job.wall_s = NAN; }));
  EXPECT_TRUE(fails([](Measured& job) { job.wall_s = 7'000'000; }));  // no room for the rest
}

}  // namespace
}  // namespace stepscope::goodput::measured_test
