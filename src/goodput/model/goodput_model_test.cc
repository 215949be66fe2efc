// Checks answers, advice and errors of ModelGoodput().
#include "stepscope/goodput_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "stepscope/write.h"

namespace stepscope::goodput::goodput_model_test {
namespace {

using Options = GoodputModelOptions;

// Llama 3's rate of failures, and saves of a minute.
Options Job() { return {.mtbf_s = 11135, .save_s = 60, .restart_s = 600}; }

ReportSet Answer(const Options& options) {
  auto answer = ModelGoodput(options);
  EXPECT_TRUE(answer) << answer.error().what;
  return answer ? std::move(*answer) : ReportSet{};
}

const Report& Only(const ReportSet& answer, std::string_view name) {
  static const Report kNone;
  const auto found = std::ranges::find(answer.reports, name, &Report::analysis);
  EXPECT_NE(found, answer.reports.end()) << name;
  return found == answer.reports.end() ? kNone : *found;
}

double MetricOf(const Report& report, std::string_view key) {
  const auto found = std::ranges::find(report.metrics, key, &Metric::key);
  if (found == report.metrics.end()) return NAN;
  if (const auto* whole = std::get_if<int64_t>(&found->value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->value);
  return real == nullptr ? NAN : *real;
}

bool HasFinding(const Report& report, std::string_view message) {
  for (const Finding& f : report.findings) {
    if (!f.message.contains(message)) continue;
    // Times between failures are in metrics.
    const bool by_table = std::ranges::count(report.tables, f.table, &Table::key) == 1;
    EXPECT_TRUE(by_table || (f.table.empty() && f.message.starts_with("Observed"))) << f.message;
    return true;
  }
  return false;
}

// The number in the row of `table` whose first cell is `row`.
double InTable(const Report& report, std::string_view key, const std::string& row,
               std::string_view column) {
  const auto table = std::ranges::find(report.tables, key, &Table::key);
  if (table == report.tables.end()) return NAN;
  const auto at = std::ranges::find(table->columns, column, &Column::key);
  for (const auto& cells : table->rows) {
    if (cells[0] != Cell(row) || at == table->columns.end()) continue;
    const auto* real =
        std::get_if<double>(&cells[static_cast<size_t>(at - table->columns.begin())]);
    return real == nullptr ? NAN : *real;
  }
  return NAN;
}

TEST(GoodputModelTest, ReproducesPublishedNumbers) {
  Options options = Job();
  options.checkpoint_interval_s = 1155.9411749738824;
  const ReportSet answer = Answer(options);
  const Report& report = Only(answer, "goodput_model");
  EXPECT_NEAR(MetricOf(report, "goodput"), 0.8524979740829539, 1e-12);
  EXPECT_NEAR(MetricOf(report, "first_order"), 0.8500857522130408, 1e-12);
  EXPECT_NEAR(MetricOf(report, "uptime"), 0.8552277933945838, 1e-12);
  EXPECT_NEAR(MetricOf(report, "simulated"), MetricOf(report, "goodput"),
              4 * MetricOf(report, "simulated_error"));
  EXPECT_LT(MetricOf(report, "simulated_error"), 0.001);
  EXPECT_NEAR(MetricOf(report, "goodput") + MetricOf(report, "saves") +
                  MetricOf(report, "lost_work") + MetricOf(report, "restarts"),
              1, 1e-12);
}

TEST(GoodputModelTest, AcceptsFailureRatesAndCounts) {
  const double from_rate =
      MetricOf(Only(Answer({.failures_per_node_day = 0.0065, .chips = 16384}), "goodput_failures"),
               "modeled_mtbf");
  EXPECT_NEAR(from_rate / 3.6e12, 1.8028846, 1e-6);
  const double from_nodes =
      MetricOf(Only(Answer({.mtbf_per_node_s = 86400 / 0.0065, .nodes = 2048}), "goodput_failures"),
               "modeled_mtbf");
  EXPECT_NEAR(from_nodes, from_rate, 10);
  const double counted = MetricOf(
      Only(Answer({.failures = 466, .over_s = 54 * 86400.0}), "goodput_failures"), "observed_mtbf");
  EXPECT_NEAR(counted / 3.6e12, 2.7811158, 1e-6);
}

TEST(GoodputModelTest, FindsAPoorInterval) {
  Options options = Job();
  options.checkpoint_interval_s = 3600;
  const ReportSet far = Answer(options);
  ASSERT_TRUE(HasFinding(far.reports[0], "costs 6.5 pp"));
  EXPECT_EQ(far.reports[0].findings[0].severity, Severity::kHigh);
  EXPECT_NEAR(static_cast<double>(far.reports[0].findings[0].impact), 0.0653 * 86400e9, 1e11);
  options.checkpoint_interval_s = 1300;  // a sixth too long costs next to nothing
  EXPECT_TRUE(Answer(options).reports[0].findings.empty());
}

TEST(GoodputModelTest, FindsAnInaccurateFirstOrder) {
  Options options{
      .mtbf_s = 811, .checkpoint_interval_s = 127.35776379946375, .save_s = 10, .restart_s = 300};
  EXPECT_TRUE(HasFinding(Answer(options).reports[0], ", 7.6 pp below"));
  options.restart_s = 900;
  EXPECT_TRUE(HasFinding(Answer(options).reports[0], "it is negative"));
  options.mtbf_s = 86400;
  EXPECT_FALSE(HasFinding(Answer(options).reports[0], "is inaccurate"));
}

TEST(GoodputModelTest, ComparesObservedAndModeledMtbf) {
  Options options{.failures_per_node_day = 0.0065, .observed_mtbf_s = 7.9 * 3600, .chips = 1024};
  const ReportSet answer = Answer(options);
  EXPECT_TRUE(HasFinding(answer.reports[0], "differ by a factor of 3.7"));
  EXPECT_NEAR(MetricOf(answer.reports[0], "modeled_mtbf") / 3.6e12, 28.846, 1e-3);
  options.observed_mtbf_s = 30 * 3600;
  EXPECT_TRUE(Answer(options).reports[0].findings.empty());
}

TEST(GoodputModelTest, TakesOneFailureRate) {
  Options options = Job();
  options.nodes = 8;
  EXPECT_TRUE(ModelGoodput(options));
  options.mtbf_per_node_s = 86400;
  const auto both = ModelGoodput(options);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().what, "`mtbf_s` and `mtbf_per_node_s` both state the failure rate");
  options.mtbf_s.reset();
  EXPECT_TRUE(ModelGoodput(options));
}

TEST(GoodputModelTest, FindsContradictingPrintedShares) {
  Options options;
  options.causes = {{"gpu/faulty", 148, 0.301}, {"gpu/memory", 72, 0.172}, {"other", 199, {}}};
  const ReportSet answer = Answer(options);
  EXPECT_TRUE(HasFinding(answer.reports[0], "contradict the printed counts"));
  options.causes[0].printed_share = 0.353;
  EXPECT_TRUE(Answer(options).reports[0].findings.empty());
}

// 1,000 chips at 2.00 an hour: a point of goodput is 480 a day.
TEST(GoodputModelTest, LeversInMoney) {
  Options options = Job();
  options.checkpoint_interval_s = 1116;
  options.reschedule_s = 600;
  options.chips = 1000;
  options.price_per_chip_hour = 2;
  const ReportSet answer = Answer(options);
  const Report& report = answer.reports[0];
  EXPECT_NEAR(MetricOf(report, "money_lost_per_day"), (1 - MetricOf(report, "goodput")) * 48000,
              0.01);
  const double gain = InTable(report, "levers", "faster_saves", "gain");
  EXPECT_GT(gain, 0.03);
  EXPECT_NEAR(InTable(report, "levers", "faster_saves", "money_per_day"), gain * 48000, 0.01);
  // Spares of 8 chips each are paid for.
  const double cost = InTable(report, "levers", "hot_spares", "cost_per_day");
  EXPECT_NEAR(std::fmod(cost, 8 * 48), 0, 0.01);
  EXPECT_NEAR(InTable(report, "levers", "hot_spares", "money_per_day"),
              InTable(report, "levers", "hot_spares", "gain") * 48000 - cost, 0.02);
  EXPECT_TRUE(std::isnan(InTable(report, "levers", "reservations", "gain")));
  options.price_per_chip_hour.reset();
  EXPECT_TRUE(std::isnan(InTable(Answer(options).reports[0], "levers", "all", "money_per_day")));
}

TEST(GoodputModelTest, IdleSparesCost) {
  Options options = Job();
  options.reschedule_s = 900;
  options.nodes = 100;
  const double without = MetricOf(Answer(options).reports[0], "goodput");
  options.spares = 25;
  const ReportSet answer = Answer(options);
  EXPECT_GT(MetricOf(answer.reports[0], "goodput"), without + 0.03);
  EXPECT_NEAR(MetricOf(answer.reports[0], "paid_goodput"),
              MetricOf(answer.reports[0], "goodput") * 0.8, 1e-12);
}

TEST(GoodputModelTest, SeriesPeakAtTheBestInterval) {
  const ReportSet answer = Answer(Job());
  const Report& report = answer.reports[0];
  ASSERT_EQ(report.series.size(), 3u);
  const auto& points = report.series[0].points;
  const auto peak = std::ranges::max_element(points, {}, [](const auto& p) { return p.second; });
  EXPECT_NEAR(peak->first, MetricOf(report, "best_interval"), 1);
  EXPECT_NEAR(peak->second, MetricOf(report, "best_goodput"), 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(points));
}

TEST(GoodputModelTest, RejectsInvalidInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto where = [](Options options) {
    const auto answer = ModelGoodput(options);
    return answer ? "answered" : answer.error().where;
  };
  EXPECT_EQ(where({.mtbf_s = 0, .save_s = 1, .restart_s = 1}), "`mtbf_s`");
  EXPECT_EQ(where({.mtbf_s = nan, .save_s = 1, .restart_s = 1}), "`mtbf_s`");
  EXPECT_EQ(where({.mtbf_s = 1e12, .save_s = 1, .restart_s = 1}), "`mtbf_s`");
  EXPECT_EQ(where({.mtbf_s = 100, .restart_s = 1}), "`save_s`");
  EXPECT_EQ(where({.mtbf_s = 100, .save_s = 1}), "`restart_s`");
  EXPECT_EQ(where({.save_s = 1, .restart_s = 1}), "`mtbf_s`");
  EXPECT_EQ(where({.mtbf_s = 100, .save_s = 0, .restart_s = 1}), "`checkpoint_interval_s`");
  EXPECT_EQ(where({.failures_per_node_day = 1}), "`nodes`");
  EXPECT_EQ(where({.failures = 10}), "`over_s`");
  EXPECT_EQ(where({.mtbf_s = 100, .save_s = 1, .restart_s = 10, .pull_s = 11}), "`restart_s`");
  EXPECT_EQ(where({.mtbf_s = 100, .save_s = 1, .announced_share = 1.1, .restart_s = 10}),
            "`announced_share`");
  EXPECT_EQ(where({.restart_before_s = {1, 2}, .restart_after_s = {1}}), "`restart_after_s`");
  EXPECT_EQ(where({.steps_tried = 5, .steps_committed = 6}), "`steps_committed`");
  EXPECT_EQ(where({}), "");
}

// The corners of what is allowed: an answer that every face can print, or an error.
TEST(GoodputModelTest, ExtremesAreAnswered) {
  for (const double mtbf_s : {1e-3, 60.0, 3e9}) {
    for (const double save_s : {0.0, 1e-6, 100.0, 3e9}) {
      for (const double restart_s : {0.0, 3600.0, 3e9}) {
        for (const double interval_s : {1e-6, 1000.0, 3e9}) {
          for (const double announced : {0.0, 1.0}) {
            const Options options{.mtbf_s = mtbf_s,
                                  .checkpoint_interval_s = interval_s,
                                  .save_s = save_s,
                                  .persist_s = restart_s,
                                  .announced_share = announced,
                                  .restart_s = restart_s,
                                  .reschedule_s = restart_s,
                                  .simulated_failures = 1000};
            const ReportSet answer = Answer(options);
            EXPECT_FALSE(ToText(answer).empty());
            EXPECT_FALSE(ToJson(answer).contains("nan"));
            const double goodput = MetricOf(answer.reports.at(0), "goodput");
            EXPECT_TRUE(goodput >= 0 && goodput <= 1 + 1e-12) << goodput;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepscope::goodput::goodput_model_test
