// Checks the forms of the model against published numbers and general properties.
#include "goodput/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "goodput/model/checkpoint_interval.h"

namespace stepscope::goodput::model_test {
namespace {

struct Case {
  double mtbf_s, save_s, restart_s, interval_s, exact, first_order, uptime;
};

// Computed apart from this code, in double precision, from the formulas as their papers print them.
constexpr Case kCases[] = {
    {11135, 10, 600, 471.9110085598767, 0.907945700236902, 0.9057325474401497, 0.9094913919257348},
    {11135, 60, 600, 1155.9411749738824, 0.8524979740829539, 0.8500857522130408,
     0.8552277933945838},
    {6490, 10, 300, 360.27767069303644, 0.9027898143641488, 0.9010099059416752, 0.9041903183670075},
    {86400, 300, 1200, 7200, 0.9062612960107217, 0.9066666666666666, 0.9073972602739726},
    {811, 10, 300, 127.35776379946375, 0.5877923121196889, 0.5114118190766452, 0.6236851578492483},
};

Parameters Of(const Case& c) {
  return {.failures_per_s = 1 / c.mtbf_s,
          .interval_s = c.interval_s,
          .save_s = c.save_s,
          .restart_s = c.restart_s};
}

// A number that nothing is near to, where there is no value.
double Known(std::optional<double> value) { return value.value_or(NAN); }

double Sum(const Shares& s) { return s.goodput + s.saves + s.lost_work + s.restarts; }

TEST(ModelTest, FormsReproducePublishedNumbers) {
  for (const Case& c : kCases) {
    EXPECT_NEAR(ExactForm(Of(c)).goodput, c.exact, 1e-12);
    EXPECT_NEAR(Known(FirstOrderForm(Of(c))), c.first_order, 1e-12);
    EXPECT_NEAR(Known(UptimeForm(Of(c))), c.uptime, 1e-12);
  }
}

TEST(ModelTest, IntervalFormIsReadLiterally) {
  const Parameters p{.interval_s = 3600, .reschedule_s = 300, .restart_s = 300};
  EXPECT_NEAR(Known(IntervalForm(p)), 1800.0 / 4200.0, 1e-12);  // 0.429
  Parameters days = p;
  days.failures_per_s = 1 / 36000.0;
  EXPECT_NEAR(Known(UptimeForm(days)), 34200.0 / 36600.0, 1e-12);  // 0.934
}

TEST(ModelTest, SharesOfTimeAddUp) {
  for (Case c : kCases) {
    for (const double announced : {0.0, 0.3, 1.0}) {
      for (const double persist : {0.0, 100.0, 2000.0}) {
        Parameters p = Of(c);
        p.announced_share = announced;
        p.emergency_save_s = 20;
        p.persist_s = persist;
        const Shares shares = ExactForm(p);
        EXPECT_NEAR(Sum(shares), 1, 1e-12);
        for (const double share : {shares.goodput, shares.saves, shares.lost_work, shares.restarts})
          EXPECT_GE(share, 0);
      }
    }
  }
}

TEST(ModelTest, FreeAnnouncedFailuresLoseNothing) {
  const Parameters p{.failures_per_s = 1e-3, .interval_s = 5000, .announced_share = 1};
  EXPECT_NEAR(ExactForm(p).goodput, 1, 1e-12);
}

TEST(ModelTest, WithoutFailuresOnlySavesCost) {
  const Parameters p{.interval_s = 90, .save_s = 10, .restart_s = 600};
  EXPECT_DOUBLE_EQ(ExactForm(p).goodput, 0.9);
  EXPECT_DOUBLE_EQ(Known(FirstOrderForm(p)), 0.9);
  EXPECT_DOUBLE_EQ(Known(UptimeForm(p)), 0.9);
  Parameters rare = p;
  rare.failures_per_s = 1e-15;
  EXPECT_NEAR(ExactForm(rare).goodput, 0.9, 1e-9);
}

TEST(ModelTest, FormsAgreeWhereFailuresAreRare) {
  Parameters p{.failures_per_s = 1e-8,
               .interval_s = 3000,
               .save_s = 30,
               .persist_s = 120,
               .reschedule_s = 900,
               .swap_s = 60,
               .spare_share = 0.4,
               .restart_s = 300,
               .announced_share = 0.25,
               .emergency_save_s = 40};
  const double exact = ExactForm(p).goodput;
  EXPECT_NEAR(Known(FirstOrderForm(p)), exact, 1e-6);
  EXPECT_NEAR(Known(UptimeForm(p)), exact, 1e-6);
}

TEST(ModelTest, FirstOrderHoldsUpToItsLimit) {
  int held = 0;
  for (const double save_s : {1.0, 10.0, 60.0, 300.0}) {
    for (const double restart_s : {0.0, 60.0, 300.0, 900.0, 1800.0}) {
      for (const double interval_s : {120.0, 600.0, 1200.0, 3600.0}) {
        const Parameters p{.failures_per_s = 1e-4,
                           .interval_s = interval_s,
                           .save_s = save_s,
                           .restart_s = restart_s};
        if (FirstOrderLoad(p) > kFirstOrderHolds) continue;
        EXPECT_NEAR(Known(FirstOrderForm(p)), ExactForm(p).goodput, 0.02);
        ++held;
      }
    }
  }
  EXPECT_GT(held, 50);
}

TEST(ModelTest, NegativeFormsHaveNoValue) {
  const Parameters p{.failures_per_s = 1e-2, .interval_s = 100, .save_s = 1, .restart_s = 600};
  EXPECT_FALSE(FirstOrderForm(p));
  EXPECT_TRUE(UptimeForm(p));
  EXPECT_GT(ExactForm(p).goodput, 0);
}

TEST(ModelTest, HopelessJobsOnlyRestart) {
  const Parameters p{.failures_per_s = 1, .interval_s = 100, .save_s = 1, .restart_s = 1e6};
  EXPECT_EQ(ExactForm(p).goodput, 0);
  EXPECT_EQ(ExactForm(p).restarts, 1);
  EXPECT_FALSE(BestIntervalS(p));
}

TEST(ModelTest, BestExactIntervalHasZeroDerivative) {
  for (const Case& c : kCases) {
    const Parameters p = Of(c);
    const double best = Known(BestIntervalS(p));
    const double rate = p.failures_per_s;
    EXPECT_NEAR(1 - rate * best, std::exp(-rate * (best + p.save_s)), 1e-6);
    EXPECT_NEAR(best, DalyIntervalS(c.save_s, c.mtbf_s), 0.005 * best);
  }
}

TEST(ModelTest, BestIntervalsAreBest) {
  Parameters p = Of(kCases[4]);
  for (const double announced : {0.0, 0.5}) {
    p.announced_share = announced;
    const double exact = Known(BestIntervalS(p));
    const double uptime = Known(BestUptimeIntervalS(p));
    const double first = Known(BestFirstOrderIntervalS(p));
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
      EXPECT_LT(ExactForm(WithInterval(p, exact * factor)).goodput,
                ExactForm(WithInterval(p, exact)).goodput);
      EXPECT_LT(UptimeForm(WithInterval(p, uptime * factor)), UptimeForm(WithInterval(p, uptime)));
      EXPECT_LT(FirstOrderForm(WithInterval(p, first * factor)),
                FirstOrderForm(WithInterval(p, first)));
    }
  }
}

TEST(ModelTest, AnnouncedFailuresNeedNoSaves) {
  Parameters p = Of(kCases[0]);
  p.announced_share = 1;
  EXPECT_FALSE(BestIntervalS(p));
  EXPECT_FALSE(BestFirstOrderIntervalS(p));
  p.announced_share = 0;
  p.failures_per_s = 0;
  EXPECT_FALSE(BestIntervalS(p));
}

TEST(ModelTest, RulesForTheInterval) {
  EXPECT_NEAR(YoungIntervalS(60, 11135), 1155.9411749738824, 1e-9);
  EXPECT_NEAR(DalyIntervalS(60, 11135), 1116.287213343879, 1e-9);
  EXPECT_NEAR(AvailabilityPeriodS(60, 11135, 300), 1232.945011498834, 1e-9);
  EXPECT_EQ(DalyIntervalS(500, 100), 100);
}

}  // namespace
}  // namespace stepscope::goodput::model_test
