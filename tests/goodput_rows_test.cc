// Tests that rows of accounted jobs are what reports on a ledger say.
#include "stepscope/goodput_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time_units.h"
#include "query/ledger_tables.h"
#include "stepscope/goodput_fleet.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_rows_test {
namespace {

using GoodputRowsTest = LedgerTest;
using Cells = std::map<std::string, Cell, std::less<>>;

// The rows of a table, by the names of columns.
std::vector<Cells> RowsOf(const GoodputRows& rows, GoodputRowTable table) {
  const auto& info = GoodputRowTables()[static_cast<size_t>(table)];
  std::vector<Cells> all;
  rows.Each(table, 0, rows.jobs(), [&](std::span<const Cell> row) {
    ASSERT_EQ(row.size(), info.columns.size()) << info.name;
    Cells& cells = all.emplace_back();
    for (size_t c = 0; c < row.size(); ++c) {
      cells.emplace(info.columns[c].name, row[c]);
      const bool empty = std::holds_alternative<std::monostate>(row[c]);
      EXPECT_FALSE(empty && info.columns[c].known) << info.columns[c].name;
    }
  });
  return all;
}

int64_t Int(const Cells& row, std::string_view column) {
  return std::get<int64_t>(row.find(column)->second);
}
bool IsUnknown(const Cells& row, std::string_view column) {
  return std::holds_alternative<std::monostate>(row.find(column)->second);
}

GoodputRows Read(const std::string& store, std::optional<int64_t> at = std::nullopt) {
  auto rows = GoodputRows::Read({.store = store, .at = at});
  if (!rows) throw std::runtime_error(rows.error().what);
  return std::move(*rows);
}

// Sums by bucket, of all days.
std::map<std::string, int64_t> Sums(const GoodputRows& rows) {
  std::map<std::string, int64_t> sums;
  for (const Cells& row : RowsOf(rows, GoodputRowTable::kBuckets))
    sums[std::get<std::string>(row.at("bucket"))] += Int(row, "ns");
  return sums;
}

void ExpectSumsOfReport(const std::string& store, const std::string& job) {
  const auto report = GoodputReport({.store = store, .job = job});
  ASSERT_TRUE(report) << report.error().what;
  std::map<std::string, int64_t> expected;
  for (const Row& row : testing::RowsOf(*report, "goodput", "buckets"))
    if (row.Int("time") > 0) expected[row.Text("bucket")] = row.Int("time");
  const GoodputRows rows = Read(store);
  EXPECT_EQ(Sums(rows), expected);
  int64_t cost = 0;
  for (const Cells& row : RowsOf(rows, GoodputRowTable::kDisruptions)) cost += Int(row, "cost_ns");
  EXPECT_EQ(cost, SumOf(testing::RowsOf(*report, "goodput", "disruptions"), "cost"));
}

// Steps on both sides of midnight, with a restart: 2026-05-29 begins 26:40 h after kBegin.
std::string OverMidnight() {
  return Entry(At("job_start_time", 0)) + Steps(0, 299, 100, 300) +
         Entry(At("job_start_time", 95'000)) + Steps(280, 400, 95'200, 300) +
         Entry(At("job_end_time", 135'000));
}

TEST_F(GoodputRowsTest, BucketsAndDisruptionsAddUpToTheReport) {
  ImportText(OverMidnight());
  ExpectSumsOfReport(store_, "j");
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 100'000 * kSecond}));
  ExpectSumsOfReport(store_, "j");
}

TEST_F(GoodputRowsTest, DaysEndAtMidnight) {
  ImportText(OverMidnight());
  const auto days = RowsOf(Read(store_), GoodputRowTable::kDays);
  ASSERT_EQ(days.size(), 3u);
  EXPECT_EQ(Int(days[0], "counted_ns"), kDay - kBegin % kDay);
  EXPECT_EQ(Int(days[1], "counted_ns"), kDay);
  EXPECT_EQ(Int(days[0], "day"), kBegin / kDay);
  EXPECT_EQ(std::get<std::string>(days[0].at("week")), "2026-W22");
}

TEST_F(GoodputRowsTest, WhatIsUnknownIsEmpty) {
  ImportText(OverMidnight());
  const GoodputRows rows = Read(store_);
  const auto jobs = RowsOf(rows, GoodputRowTable::kJobs);
  ASSERT_EQ(jobs.size(), 1u);
  for (const char* column :
       {"team", "chip", "chips", "nodes", "chip_hours", "wanted_ns", "mfu", "model_flops"})
    EXPECT_TRUE(IsUnknown(jobs[0], column)) << column;
  EXPECT_EQ(Int(jobs[0], "disruptions"), 1);
}

// A job that waited for its chips since the day before.
TEST_F(GoodputRowsTest, DaysOfTheSchedulerAddUpToTheJob) {
  const auto resources = [](double seconds, int allocated) {
    return fmt::format(
        R"({{"job_name":"j","event":"resources","time":{},"requested":8,"allocated":{}}})"
        "\n",
        1780000000 + seconds, allocated);
  };
  ImportText(resources(-80'000, 0) + resources(0, 8) + OverMidnight());
  const GoodputRows rows = Read(store_);
  const auto jobs = RowsOf(rows, GoodputRowTable::kJobs);
  const auto days = RowsOf(rows, GoodputRowTable::kDays);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(days.size(), 4u);
  EXPECT_EQ(Int(jobs[0], "waiting_ns"), 80'000 * kSecond);
  for (const char* column : {"wanted_ns", "all_up_ns", "waiting_ns", "counted_ns", "lost_ns"}) {
    int64_t sum = 0;
    for (const Cells& day : days) sum += Int(day, column);
    EXPECT_EQ(sum, Int(jobs[0], column)) << column;
  }
}

TEST_F(GoodputRowsTest, JobsOfACopiedLedgerAreTold) {
  ImportText(TestJob() + Entry(At("job_start_time", 5), "k") + Entry(At("job_end_time", 9), "k"));
  const ScratchFolder other;
  std::filesystem::copy(
      store_, other.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  query::OpenLedgers ledgers{.paths = {store_, other.path()}, .rows = {}};
  ASSERT_TRUE(query::ReadLedgers(ledgers, {}));
  const std::vector<Note> notes = query::NotesOfLedgers(ledgers);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].name, "jobs_in_several_ledgers");
  EXPECT_EQ(notes[0].count, 2);
  EXPECT_TRUE(notes[0].message.str().starts_with("2 jobs are in several"))
      << notes[0].message.str();
  query::OpenLedgers one{.paths = {store_}, .rows = {}};
  ASSERT_TRUE(query::ReadLedgers(one, {}));
  EXPECT_TRUE(query::NotesOfLedgers(one).empty());
}

TEST_F(GoodputRowsTest, WeeksAreThoseOfTheFleet) {
  ImportText(OverMidnight() + Entry(At("job_start_time", 300'000), "nlp/other") +
             Entry(At("job_end_time", 900'000), "nlp/other"));
  const auto fleet = GoodputFleet({.store = store_, .weekly = true});
  ASSERT_TRUE(fleet) << fleet.error().what;
  std::map<std::pair<std::string, std::string>, int64_t> expected, sums;
  for (const Row& row : testing::RowsOf(*fleet, "goodput_fleet", "groups"))
    expected[{row.Text("group"), row.Text("week")}] = row.Int("badput_time");
  for (const Cells& row : RowsOf(Read(store_), GoodputRowTable::kDays)) {
    const std::string team =
        IsUnknown(row, "team") ? "(none)" : std::get<std::string>(row.at("team"));
    sums[{team, std::get<std::string>(row.at("week"))}] += Int(row, "lost_ns");
  }
  EXPECT_EQ(sums, expected);
}

// Garwood's limits of 0 and 10 events, from published tables.
TEST_F(GoodputRowsTest, LimitsAreExact) {
  ImportText(OverMidnight());
  const auto limits = RowsOf(Read(store_), GoodputRowTable::kLimits);
  ASSERT_EQ(limits.size(), 10'001u);
  EXPECT_NEAR(std::get<double>(limits[0].at("high")), 3.6889, 5e-5);
  EXPECT_NEAR(std::get<double>(limits[10].at("low")), 4.7954, 5e-5);
  EXPECT_NEAR(std::get<double>(limits[10].at("high")), 18.3904, 5e-5);
}

}  // namespace
}  // namespace stepscope::testing::goodput_rows_test
