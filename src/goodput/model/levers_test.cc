// Checks that each lever changes only its own parameter.
#include "goodput/model/levers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "goodput/model/spares.h"

namespace stepscope::goodput::levers_test {
namespace {

constexpr Parameters kNow{.failures_per_s = 1 / 11135.0,
                          .interval_s = 3600,
                          .save_s = 60,
                          .reschedule_s = 400,
                          .swap_s = 40,
                          .restart_s = 300,
                          .emergency_save_s = 60};
constexpr LeverAssumptions kAssumed{.sigterm_share = 0.1,
                                    .pull_s = 116,
                                    .pull_speedup = 29,
                                    .compile_s = 90,
                                    .compile_cached_share = 0.5,
                                    .capacity_wait_s = 250,
                                    .repair_s = 86400,
                                    .save_speedup = 24};

Lever Find(const std::vector<Lever>& levers, std::string_view key) {
  const auto found = std::ranges::find(levers, key, &Lever::key);
  EXPECT_NE(found, levers.end()) << key;
  return found == levers.end() ? Lever{} : *found;
}

// The job after a lever; NaN parameters if unknown.
Parameters After(const Lever& lever) {
  return lever.becomes.value_or(
      Parameters{.failures_per_s = NAN, .interval_s = NAN, .save_s = NAN, .restart_s = NAN});
}
Parameters After(std::string_view key) { return After(Find(Levers(kNow, kAssumed), key)); }

TEST(LeversTest, EachChangesItsParameter) {
  EXPECT_DOUBLE_EQ(After("sigterm_checkpoint").announced_share, 0.1);
  EXPECT_DOUBLE_EQ(After("container_preloading").restart_s, 300 - 112);
  EXPECT_DOUBLE_EQ(After("compilation_cache").restart_s, 300 - 45);
  EXPECT_DOUBLE_EQ(After("reservations").reschedule_s, 150);
  EXPECT_DOUBLE_EQ(After("faster_saves").save_s, 2.5);
  EXPECT_DOUBLE_EQ(After("faster_saves").persist_s, 57.5);  // as durable as before
  EXPECT_NEAR(After("best_interval").interval_s, 1116, 3);
}

TEST(LeversTest, EachHelps) {
  const double now = ExactForm(kNow).goodput;
  const auto levers = Levers(kNow, kAssumed);
  ASSERT_EQ(levers.size(), 8u);
  for (const Lever& lever : levers) {
    ASSERT_TRUE(lever.becomes) << lever.key;
    EXPECT_GT(ExactForm(After(lever)).goodput, now) << lever.key;
    EXPECT_LE(ExactForm(After(lever)).goodput, ExactForm(After(levers.back())).goodput);
  }
}

TEST(LeversTest, SparesCover99Percent) {
  const Lever lever = Find(Levers(kNow, kAssumed), "hot_spares");
  EXPECT_GE(After(lever).spare_share, 0.99);
  EXPECT_EQ(After(lever).spare_share, SpareShare(lever.extra_nodes, 1 / 11135.0, 86400));
}

TEST(LeversTest, MissingInputsDisableLevers) {
  const auto levers = Levers(kNow, {.sigterm_share = 0.1, .repair_s = 86400, .save_speedup = 24});
  for (const char* key : {"container_preloading", "compilation_cache", "reservations"}) {
    EXPECT_FALSE(Find(levers, key).becomes) << key;
    EXPECT_TRUE(Find(levers, key).change.starts_with("needs ")) << key;
  }
  EXPECT_EQ(After(Find(levers, "all")).restart_s, 300);
}

// Without rescheduling a spare gains nothing and only costs.
TEST(LeversTest, UselessSparesAreIgnored) {
  Parameters now = kNow;
  now.reschedule_s = now.swap_s = 0;
  LeverAssumptions assumed = kAssumed;
  assumed.capacity_wait_s.reset();
  const auto levers = Levers(now, assumed);
  EXPECT_FALSE(Find(levers, "hot_spares").becomes);
  EXPECT_EQ(Find(levers, "all").extra_nodes, 0);
}

TEST(LeversTest, HigherShareStays) {
  Parameters now = kNow;
  now.announced_share = 0.5;
  EXPECT_EQ(After(Find(Levers(now, kAssumed), "sigterm_checkpoint")).announced_share, 0.5);
}

}  // namespace
}  // namespace stepscope::goodput::levers_test
