// Checks the report on live jobs.
#include "goodput/live/live_report.h"

#include <gtest/gtest.h>

#include "base/time_units.h"
#include "report/columns.h"

namespace stepscope::goodput::live_report_test {
namespace {

constexpr int64_t kBegin = 1'780'000'000 * kSecond;

// Records steps of 10 s from `first` on, and a preemption notice if `preempted`.
void Train(LiveJob& job, int64_t at, int64_t first, int64_t steps, bool preempted = false) {
  const auto record = [&](EventKind kind, int64_t second, int64_t step, std::string text = "") {
    job.Add(
        {.kind = kind, .time = kBegin + second * kSecond, .step = step, .text = std::move(text)},
        kBegin + 10'000 * kSecond);
  };
  record(EventKind::kJobStart, at, kUnknown);
  for (int64_t k = 0; k < steps; ++k) record(EventKind::kStepStart, at + 10 * k, first + k);
  if (preempted) record(EventKind::kPreemptionNotice, at + 10 * steps, kUnknown, "maintenance");
}

const Table* TableOf(const Report& report, std::string_view key) {
  for (const Table& table : report.tables) {
    if (table.key == key) return &table;
  }
  return nullptr;
}

TEST(LiveReport, DetailsOneJob) {
  std::map<std::string, LiveJob> jobs;
  Train(jobs["llm"], 0, 0, 4, true);  // to 40 s, when its step 3 is lost
  Train(jobs["llm"], 70, 3, 3);       // 3 at 70 s, 4, and 5 from 90 s on
  const Report report = LiveReport(jobs, "", std::nullopt, kBegin + 95 * kSecond);
  EXPECT_EQ(report.headline, "'llm' is running, at step 5, goodput 52.6%; last event 5.00 s ago.");
  const Table* disruptions = TableOf(report, "disruptions");
  ASSERT_NE(disruptions, nullptr);
  // Attempt 1 stopped at 40 s, was down for 30 s and lost the 10 s of its step 3.
  EXPECT_EQ(disruptions->rows,
            (std::vector<std::vector<Cell>>{{int64_t{1}, 55 * kSecond, std::string("yes"),
                                             std::string("maintenance"), 40 * kSecond, 30 * kSecond,
                                             10 * kSecond}}));
  const Table* buckets = TableOf(report, "buckets");
  ASSERT_NE(buckets, nullptr);
  // 0 to 2 of the first attempt, 3 and 4 of the second.
  EXPECT_EQ(ColumnOf(*buckets, "time").Int(buckets->rows.at(0)), 50 * kSecond);
  EXPECT_EQ(LiveReport(jobs, "lost", std::nullopt, kBegin).status, Status::kUnavailable);
}

TEST(LiveReport, TellsAStepThatHangsWhileItsProcessLives) {
  std::map<std::string, LiveJob> jobs;
  Train(jobs["a"], 0, 0, 4);
  Train(jobs["b"], 0, 0, 183);
  for (int64_t second = 40; second <= 1830; second += 10) {  // step 3 began at 30 s
    jobs["a"].Add({.kind = EventKind::kHeartbeat, .time = kBegin + second * kSecond},
                  kBegin + second * kSecond);
  }
  const Report report = LiveReport(jobs, "", std::nullopt, kBegin + 1830 * kSecond);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message,
            "'a': Step 3 has been open for 30.0 min; the job may hang.");
  EXPECT_EQ(report.findings[0].because, "the median step time is 10.0 s");
  EXPECT_TRUE(LiveReport(jobs, "b", std::nullopt, kBegin + 1830 * kSecond).findings.empty());
}

TEST(LiveReport, ListsManyJobs) {
  std::map<std::string, LiveJob> jobs;
  EXPECT_EQ(LiveReport(jobs, "", std::nullopt, kBegin).status, Status::kUnavailable);
  Train(jobs["a"], 0, 0, 4);
  Train(jobs["b"], 10, 0, 2);
  const Report report = LiveReport(jobs, "", std::nullopt, kBegin + 100 * kSecond);
  EXPECT_EQ(report.headline, "2 of 2 jobs running; longest silence: 'b' (80.0 s).");
  ASSERT_EQ(report.tables.size(), 1u);
  EXPECT_EQ(report.tables[0].rows.size(), 2u);
  EXPECT_EQ(LiveReport(jobs, "b", std::nullopt, kBegin).tables.at(0).rows.size(), 1u);
}

}  // namespace
}  // namespace stepscope::goodput::live_report_test
