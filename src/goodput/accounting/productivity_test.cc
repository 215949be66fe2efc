// Checks factors and losses of constructed jobs.
#include "goodput/accounting/productivity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/time_units.h"
#include "report/columns.h"
#include "report/phrase_format.h"

namespace stepscope::goodput::productivity_test {
namespace {

double Metric(const Report& report, std::string_view key) {
  for (const auto& metric : report.metrics) {
    if (metric.key == key) return std::get<double>(metric.value);
  }
  return -1;
}

// 10 h wanted, 8 with all chips, 6 of them productive, at half of what the chips can.
const ProductivityInput kJob{
    .total = 9 * kHour,
    .productive = 6 * kHour,
    .scheduling =
        SchedulingTimes{
            .all_up = 8 * kHour, .partial = kHour, .waiting = kHour, .share = 8.5 * 3600e9},
    .program = 0.5,
    .chips = 100,
    .price_per_chip_hour = 2};

TEST(Productivity, FactorsMultiplyToIdealOverPaid) {
  const Report report = ProductivityReport(kJob);
  EXPECT_DOUBLE_EQ(Metric(report, "scheduling_goodput"), 0.8);
  EXPECT_DOUBLE_EQ(Metric(report, "runtime_goodput"), 0.75);
  EXPECT_DOUBLE_EQ(Metric(report, "program_goodput"), 0.5);
  EXPECT_DOUBLE_EQ(Metric(report, "product"), 3.0 / 10);
  EXPECT_DOUBLE_EQ(Metric(report, "elastic_scheduling_goodput"), 0.85);
  ProductivityInput little = kJob;
  little.scheduling->share = 1;
  EXPECT_GT(Metric(ProductivityReport(little), "elastic_scheduling_goodput"), 0);
}

TEST(Productivity, LossesAddUpToWantedTime) {
  const Report report = ProductivityReport(kJob);
  int64_t lost = 0;
  double cost = 0;
  const Table& losses = report.tables[0];
  const ColumnOf lost_of(losses, "lost"), cost_of(losses, "cost");
  for (const auto& row : losses.rows) {
    lost += lost_of.Int(row);
    cost += cost_of.Real(row);
  }
  EXPECT_EQ(lost, 10 * kHour - 3 * kHour);  // 3 h would have done, ideally
  EXPECT_DOUBLE_EQ(cost, 7 * 100 * 2);
}

TEST(Productivity, OmitsUnknownFactors) {
  const Report report = ProductivityReport({.total = 8 * kHour, .productive = 6 * kHour});
  EXPECT_EQ(Metric(report, "scheduling_goodput"), -1);
  EXPECT_EQ(Metric(report, "program_goodput"), -1);
  EXPECT_EQ(Metric(report, "elastic_scheduling_goodput"), -1);
  ProductivityInput none = kJob;
  none.scheduling->share = 0;
  EXPECT_EQ(Metric(ProductivityReport(none), "elastic_scheduling_goodput"), -1);
  EXPECT_DOUBLE_EQ(Metric(report, "product"), 0.75);
  EXPECT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(ProductivityReport({}).status, Status::kUnavailable);
}

double Share(const Report& report, std::string_view state) {
  for (const Table& table : report.tables) {
    if (table.key != "scheduling") continue;
    const ColumnOf name(table, "state"), ratio(table, "ratio");
    for (const auto& row : table.rows) {
      if (name.Text(row) == state) return ratio.Real(row);
    }
  }
  return -1;
}

TEST(Productivity, StatesAreSharesOfTheTimeThatWasWanted) {
  ProductivityInput job = kJob;
  job.scheduling->unhealthy = 2 * kHour;
  job.scheduling->paused = 3 * kHour;
  const Report report = ProductivityReport(job);
  EXPECT_EQ(Share(report, "all"), 8.0 / 12);
  EXPECT_EQ(Share(report, "all, some not healthy"), 2.0 / 12);
  EXPECT_EQ(Share(report, "some"), 1.0 / 12);
  EXPECT_EQ(Share(report, "none"), 1.0 / 12);
  const Table& states = report.tables.at(1);
  EXPECT_EQ(states.rows.at(4).at(1), Cell(3 * kHour));
  EXPECT_EQ(states.rows.at(4).at(2), Cell()) << "nobody wanted chips then";
  EXPECT_EQ(ProductivityReport(kJob).tables.at(1).rows.size(), 3u)
      << "without states that were not";
}

TEST(Productivity, TheHeadlineSaysTheProductAndWhatItCosts) {
  EXPECT_EQ(
      fmt::to_string(ProductivityReport(kJob).headline),
      "30.0% = 80.0% scheduled x 75.0% running x 50.0% program; lost 2.00 h + 2.00 h + 3.00 h, "
      "cost 1400.");
  ProductivityInput job = kJob;
  job.price_per_chip_hour = 1.427;  // 998.9
  EXPECT_TRUE(ProductivityReport(job).headline.contains("cost 998.90."));
  job.price_per_chip_hour = 0.5;
  EXPECT_TRUE(ProductivityReport(job).headline.contains("cost 350.00."));
  EXPECT_EQ(ProductivityReport(job).tables.at(0).rows.at(1).back(), Cell(100.0)) << "2 h of 100";
  job.price_per_chip_hour = 0;
  EXPECT_FALSE(ProductivityReport(job).headline.contains("cost"));
  job.price_per_chip_hour = 2;
  job.chips = 0;
  EXPECT_FALSE(ProductivityReport(job).headline.contains("cost"));
  EXPECT_EQ(
      fmt::to_string(ProductivityReport({.total = 8 * kHour, .productive = 6 * kHour}).headline),
      " 75.0% running; lost 2.00 h.");
}

TEST(Productivity, OfUnknownChipsNoHoursAreLost) {
  ProductivityInput job = kJob;
  for (const double chips : {0.0, 1.0}) {
    job.chips = chips;
    const Report report = ProductivityReport(job);
    const Table& losses = report.tables.at(0);
    const ColumnOf hours(losses, "chip_hours"), cost(losses, "cost");
    EXPECT_EQ(hours(losses.rows.at(1)), chips == 0 ? Cell() : Cell(2.0));
    EXPECT_EQ(cost(losses.rows.at(1)), chips == 0 ? Cell() : Cell(4.0));
    EXPECT_EQ(report.headline.contains("cost 14.00"), chips == 1);
  }
  job.price_per_chip_hour = 0;
  const Report report = ProductivityReport(job);
  const Table& losses = report.tables.at(0);
  EXPECT_EQ(ColumnOf(losses, "cost")(losses.rows.at(1)), Cell());
}

TEST(Productivity, WhatTheSchedulerDoesNotCoverIsBounded) {
  ProductivityInput job = kJob;
  job.before_scheduler = 10 * kHour;
  job.total = 20 * kHour;
  const Report report = ProductivityReport(job);
  EXPECT_EQ(Metric(report, "scheduling_goodput"), -1);
  EXPECT_DOUBLE_EQ(Metric(report, "scheduling_goodput_min"), 8.0 / 20);
  EXPECT_DOUBLE_EQ(Metric(report, "scheduling_goodput_max"), 18.0 / 20);
  EXPECT_DOUBLE_EQ(Metric(report, "runtime_goodput"), 6.0 / 20) << "of the whole time";
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_TRUE(report.notes[0].message.contains("10.0 h of 20.0 h"))
      << fmt::to_string(report.notes[0].message);
}

TEST(Productivity, InputsThatContradictEachOtherHaveNoProduct) {
  ProductivityInput job = kJob;
  job.program = 1.01;
  EXPECT_EQ(ProductivityReport(job).status, Status::kUnavailable);
  EXPECT_TRUE(ProductivityReport(job).why.contains("program goodput is 101"));
  job.program = 1;
  EXPECT_EQ(ProductivityReport(job).status, Status::kOk);
  // 9 h with chips; clocks differ by 2 % at most.
  job.productive = 9 * kHour + 9 * kHour / 50;
  EXPECT_EQ(ProductivityReport(job).status, Status::kOk);
  EXPECT_DOUBLE_EQ(Metric(ProductivityReport(job), "runtime_goodput"), 1);
  job.productive = *job.productive + kSecond;
  EXPECT_TRUE(ProductivityReport(job).why.contains("the job made progress for"));
  // Chips that are not all healthy, or not all there, are chips.
  SchedulingTimes& times = *job.scheduling;
  times = {.all_up = 7 * kHour, .unhealthy = kHour, .partial = kHour, .share = times.share};
  job.productive = 9 * kHour;
  EXPECT_EQ(ProductivityReport(job).status, Status::kOk);
  job.productive = 9 * kHour + kHour / 4;
  EXPECT_EQ(ProductivityReport(job).status, Status::kUnavailable);
  job.before_scheduler = 1;
  EXPECT_EQ(ProductivityReport(job).status, Status::kOk) << "it had chips before, too";
  // A short one by 2 s.
  job = {.total = 60 * kSecond,
         .productive = 12 * kSecond,
         .scheduling = SchedulingTimes{.all_up = 10 * kSecond, .share = 10e9}};
  EXPECT_EQ(ProductivityReport(job).status, Status::kOk);
  job.productive = 12 * kSecond + 1;
  EXPECT_EQ(ProductivityReport(job).status, Status::kUnavailable);
}

TEST(Productivity, OnlyTheSchedulerMayBeKnown) {
  ProductivityInput job = kJob;
  job.productive.reset();
  const Report report = ProductivityReport(job);
  EXPECT_DOUBLE_EQ(Metric(report, "product"), 0.8);
  EXPECT_EQ(Metric(report, "runtime_goodput"), -1);
  EXPECT_EQ(Metric(report, "program_goodput"), -1) << "of nothing";
}

}  // namespace
}  // namespace stepscope::goodput::productivity_test
