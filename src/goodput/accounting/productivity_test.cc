// Checks factors and losses of constructed jobs.
#include "goodput/accounting/productivity.h"

#include <gtest/gtest.h>

#include "base/time_units.h"
#include "report/columns.h"

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
  EXPECT_DOUBLE_EQ(Metric(report, "product"), 0.75);
  EXPECT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(ProductivityReport({}).status, Status::kUnavailable);
}

}  // namespace
}  // namespace stepscope::goodput::productivity_test
