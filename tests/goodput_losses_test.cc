// Tests the list of jobs by what they lost, and the way from all chip-hours to an ideal program's.
#include "stepscope/goodput_losses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_losses_test {
namespace {

std::string Event(const std::string& job, const std::string& event, int seconds,
                  const std::string& more = "") {
  return fmt::format(R"({{"job_name":"{}","event":"{}","time":{}{}}})", job, event,
                     1780000000 + seconds, more) +
         "\n";
}

// Prepares for `idle` s, then makes steps of 100 s until `end`.
std::string Job(const std::string& job, int chips, int idle, int end) {
  std::string lines;
  if (chips > 0) {
    lines += Event(job, "resources", 0, fmt::format(R"(,"requested":{0},"allocated":{0})", chips));
  }
  lines += Event(job, "job_start", 0) + Event(job, "training_prep_begin", 0) +
           Event(job, "training_prep_end", idle);
  for (int at = idle; at < end; at += 100) {
    lines += Event(job, "step_start", at, fmt::format(R"(,"step":{})", (at - idle) / 100));
  }
  return lines + Event(job, "job_end", end);
}

class GoodputLossesTest : public LedgerTest {
 protected:
  // 3,600 s of 1 chip, 1,800 s of 8 chips, 900 s of unknown ones.
  GoodputLossesTest() {
    ImportText(Job("long", 1, 3600, 7200) + Job("wide", 8, 1800, 3600) +
               Job("unknown", 0, 900, 1800));
  }
};

TEST_F(GoodputLossesTest, MostChipHoursFirst) {
  GoodputLosses losses(store_, {.price_per_chip_hour = 2});
  const auto answer = losses.Now();
  ASSERT_TRUE(answer) << answer.error().what;
  const auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].Text("job"), "wide");
  EXPECT_NEAR(rows[0].Real("chip_hours"), 4, 1e-9);
  EXPECT_NEAR(rows[0].Real("cost"), 8, 1e-9);
  EXPECT_EQ(rows[0].Int("lost"), 1800 * kSecond);
  EXPECT_NEAR(rows[0].Real("goodput_ratio"), 0.5, 1e-9);
  EXPECT_EQ(rows[1].Text("job"), "long");
  EXPECT_NEAR(rows[1].Real("chip_hours"), 1, 1e-9);
  EXPECT_EQ(rows[2].Text("job"), "unknown");
  EXPECT_TRUE(answer->verdict.contains("of those whose chips are known: 5."))
      << answer->verdict.str();
  const Report& report = answer->reports.front();
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].name, "chips_unknown");
}

TEST_F(GoodputLossesTest, TheTrendIsOfEachJob) {
  GoodputLosses losses(store_);
  const auto answer = losses.Now();
  ASSERT_TRUE(answer) << answer.error().what;
  double first = -1, last = -1;
  int points = 0;
  for (const auto& row : RowsOf(*answer, "goodput_jobs", "trend")) {
    if (row.Text("job") != "wide") continue;
    if (points++ == 0) first = row.Real("goodput_ratio");
    last = row.Real("goodput_ratio");
    EXPECT_GE(row.Int("from"), kBegin);
  }
  EXPECT_EQ(points, 40);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(last, 1);
}

TEST_F(GoodputLossesTest, NewEventsAreCounted) {
  GoodputLosses losses(store_);
  ASSERT_TRUE(losses.Now());
  ImportText(Job("wider", 64, 1800, 3600));
  ImportText(Job("long", 1, 3600, 7200) + Event("long", "job_start", 90'000) +
             Event("long", "step_start", 90'010, R"(,"step":36)") +
             Event("long", "job_end", 90'020));
  const auto answer = losses.Now();
  ASSERT_TRUE(answer) << answer.error().what;
  const auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].Text("job"), "wider");
  EXPECT_EQ(rows[1].Text("job"), "long");
  EXPECT_GT(rows[1].Real("chip_hours"), 20);
}

// Who asks about one job does not wait for all others.
TEST_F(GoodputLossesTest, OneJobIsReadAndOthersForAWhile) {
  GoodputLosses losses(store_);
  auto answer = losses.NowOf("long", 0);
  ASSERT_TRUE(answer) << answer.error().what;
  auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].Text("job"), "long");
  EXPECT_NEAR(rows[0].Real("chip_hours"), 1, 1e-9);
  EXPECT_EQ(rows[1].At("events"), Cell());
  EXPECT_EQ(answer->reports.front().notes.back().name, "jobs_not_read");
  EXPECT_EQ(answer->reports.front().notes.back().count, 2);
  // With time, all are; then they are known.
  answer = losses.NowOf("long");
  ASSERT_TRUE(answer) << answer.error().what;
  const auto all = GoodputLosses(store_).Now();
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_EQ(answer->verdict, all->verdict);
  EXPECT_EQ(answer->reports.front().tables.front().rows, all->reports.front().tables.front().rows);
  ImportText(Job("wider", 64, 1800, 3600));
  answer = losses.NowOf("long", 0);
  ASSERT_TRUE(answer) << answer.error().what;
  rows = RowsOf(*answer, "goodput_jobs", "jobs");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NEAR(rows[0].Real("chip_hours"), 4, 1e-9);  // "wide", as it was
}

// Options that name a job say nothing of others.
TEST_F(GoodputLossesTest, OptionsOfOneJobAreNotOfOthers) {
  GoodputLosses losses(store_, {.job = "unknown", .chips = 100});
  const auto answer = losses.Now();
  ASSERT_TRUE(answer) << answer.error().what;
  const auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
  EXPECT_EQ(rows[0].Text("job"), "unknown");
  EXPECT_NEAR(rows[0].Real("chip_hours"), 25, 1e-9);
  EXPECT_NEAR(rows[1].Real("chip_hours"), 4, 1e-9);
}

using Factors = std::vector<std::tuple<std::string, double, std::string>>;

// Factor, chip-hours and what is missing; -1: unknown.
Factors FactorsIn(const Result<ReportSet>& answer) {
  Factors factors;
  if (!answer) throw std::runtime_error(answer.error().what);
  for (const auto& row : RowsOf(*answer, "chip_hours", "factors")) {
    const auto* hours = std::get_if<double>(&row.At("chip_hours"));
    const auto* missing = std::get_if<std::string>(&row.At("missing"));
    factors.emplace_back(row.Text("factor"), hours == nullptr ? -1 : *hours,
                         missing == nullptr ? "" : *missing);
  }
  return factors;
}

TEST_F(GoodputLossesTest, UnknownFactorsSayWhichInputIsMissing) {
  const GoodputReportOptions options{
      .store = store_, .job = "unknown", .chips = 8, .chip_hours = true};
  const Factors expected = {{"all", 4, ""},
                            {"scheduling", -1, "the scheduler's record of the job"},
                            {"running", 2, ""},
                            {"program", -1, "the model and the chip"},
                            {"ideal", 2, ""}};
  const auto answer = GoodputReport(options);
  EXPECT_EQ(FactorsIn(answer), expected);
  for (const Report& report : answer->reports) {
    if (report.analysis != "chip_hours") continue;
    EXPECT_EQ(report.headline.str(),
              "Of 4 chip-hours, at most 2 chip-hours (50.0%) were needed; not known: scheduling, "
              "program.");
  }
}

TEST_F(GoodputLossesTest, AProgramThatCannotBeComputedIsUnknown) {
  GoodputReportOptions options{.store = store_, .job = "wide", .chip_hours = true};
  options.program = ProgramOptions{
      .shape = {.layers = 1, .width = 1, .sequence = 1, .parameters = 1e9}, .peak_flops = 1e15};
  const auto factors = FactorsIn(GoodputReport(options));
  ASSERT_EQ(factors.size(), 5U);
  EXPECT_EQ(std::get<2>(factors[3]), "the job's speed (events of work, or tokens per second)");
  options.program->tokens_per_second = 1e5;  // 6e14 of 8e15 FLOP/s
  const auto known = FactorsIn(GoodputReport(options));
  EXPECT_NEAR(std::get<1>(known[3]), 4 * (1 - 0.075), 0.01);
  EXPECT_NEAR(std::get<1>(known[4]), 4 * 0.075, 0.01);
}

// Submitted 10 minutes before it begins.
constexpr const char* kQueuedJob =
    "JobID|JobName|State|Submit|Eligible|Start|End|AllocTRES\n"
    "7|unknown|COMPLETED|2026-05-28T20:16:40|2026-05-28T20:16:40|2026-05-28T20:26:30|"
    "2026-05-28T20:56:40|gres/gpu=4,node=1\n";

TEST_F(GoodputLossesTest, TheTimeOfAJobIsThatOfItsGoodput) {
  GoodputReportOptions options;
  options.scheduler_files = {folder_.Write("sacct.txt", kQueuedJob)};
  options.scheduler_job = "unknown";
  options.job = "unknown";
  options.utc_offset = 0;
  GoodputLosses losses(store_, options);
  const auto answer = losses.Now();
  ASSERT_TRUE(answer) << answer.error().what;
  for (const auto& row : RowsOf(*answer, "goodput_jobs", "jobs")) {
    if (row.Text("job") != "unknown") continue;
    const double lost = static_cast<double>(row.Int("lost")) / static_cast<double>(row.Int("time"));
    EXPECT_NEAR(row.Real("goodput_ratio"), 1 - lost, 1e-9);
    EXPECT_EQ(row.Int("time"), 2400 * kSecond) << "with ten minutes in the queue";
    EXPECT_EQ(row.Int("first"), (1780000000 - 600) * kSecond);
  }
}

TEST_F(GoodputLossesTest, AllFactorsLeadToTheProduct) {
  const std::string sacct = folder_.Write("sacct.txt", kQueuedJob);
  GoodputReportOptions options{.store = store_, .job = "unknown", .chip_hours = true};
  options.scheduler_files = {sacct};
  options.utc_offset = 0;
  options.price_per_chip_hour = 3;
  const auto answer = GoodputReport(options);
  const auto factors = FactorsIn(answer);
  ASSERT_EQ(factors.size(), 5U);
  const double all = std::get<1>(factors[0]), waited = std::get<1>(factors[1]);
  EXPECT_NEAR(all, 2400.0 / 3600 * 4, 0.01);
  EXPECT_NEAR(waited, 590.0 / 3600 * 4, 0.01);
  EXPECT_NEAR(all - waited - std::get<1>(factors[2]), std::get<1>(factors[4]), 0.01);
  const auto rows = RowsOf(*answer, "chip_hours", "factors");
  EXPECT_NEAR(rows[0].Real("cost"), 8, 0.05);
}

}  // namespace
}  // namespace stepscope::testing::goodput_losses_test
