// Tests reports on all jobs of a ledger, and renaming and deleting jobs, in directories and in
// PostgreSQL.
#include "stepscope/goodput_fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "goodput/recorder/recorder.h"
#include "goodput/report/fleet.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/goodput_postgres.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_fleet_test {
namespace {

// A line in Stepscope's own form.
std::string Line(const std::string& job, const std::string& event, double seconds,
                 const std::string& more = "") {
  return fmt::format(R"({{"job_name":"{}","event":"{}","time":{}{}}})", job, event,
                     1780000000 + seconds, more) +
         "\n";
}

// `chips` for steps of 100 s from `first` to `last`, after preparing from 0 to `first`.
std::string Job(const std::string& team, const std::string& name, int chips, int first, int last) {
  const std::string job = team + "/" + name;
  std::string lines =
      Line(job, "label", 0, fmt::format(R"(,"text":"team={}")", team)) +
      Line(job, "label", 0, R"(,"text":"queue=gpu")") +
      Line(job, "resources", 0, fmt::format(R"(,"requested":{0},"allocated":{0})", chips)) +
      Line(job, "job_start", 0) + Line(job, "training_prep_begin", 0) +
      Line(job, "training_prep_end", first);
  for (int at = first; at < last; at += 100) {
    lines += Line(job, "step_start", at, fmt::format(R"(,"step":{})", (at - first) / 100));
  }
  return lines + Line(job, "job_end", last);
}

// 8 chips make steps for 1,000 s, and 4 chips do so for 400 of 900 s.
std::string TwoTeams() { return Job("nlp", "llm", 8, 0, 1000) + Job("vision", "llm", 4, 500, 900); }

void ExpectFleet(const std::string& store) {
  const auto answer = GoodputFleet({.store = store, .price_per_chip_hour = 2});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_DOUBLE_EQ(std::get<double>(MetricOf(*answer, "goodput_fleet", "goodput_ratio")),
                   9600.0 / 11600);
  EXPECT_DOUBLE_EQ(std::get<double>(MetricOf(*answer, "goodput_fleet", "cost")),
                   11600.0 / 3600 * 2);
  const auto groups = RowsOf(*answer, "goodput_fleet", "groups");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].Text("group"), "nlp");
  EXPECT_DOUBLE_EQ(groups[0].Real("goodput_ratio"), 1);
  EXPECT_EQ(groups[1].Text("group"), "vision");
  EXPECT_DOUBLE_EQ(groups[1].Real("goodput_ratio"), 4.0 / 9);
  EXPECT_EQ(groups[1].Text("largest_badput"), "TRAINING_PREP");
  EXPECT_DOUBLE_EQ(groups[1].Real("badput_chip_hours"), 2000.0 / 3600);
  const auto mend = RowsOf(*answer, "goodput_fleet", "mend");
  ASSERT_EQ(mend.size(), 1u);
  EXPECT_EQ(mend[0].Text("bucket"), "TRAINING_PREP");
  EXPECT_DOUBLE_EQ(mend[0].Real("points"), 2000.0 / 11600);
  EXPECT_DOUBLE_EQ(mend[0].Real("cost"), 2000.0 / 3600 * 2);
  EXPECT_TRUE(answer->verdict.contains("Mend TRAINING_PREP first: impact up to 17.2 pp"))
      << answer->verdict;
  const auto worst = RowsOf(*answer, "goodput_fleet", "worst");
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].Text("job"), "vision/llm");
  const auto queues = GoodputFleet({.store = store, .by = "queue"});
  ASSERT_EQ(RowsOf(*queues, "goodput_fleet", "groups").size(), 1u);
  EXPECT_EQ(RowsOf(*queues, "goodput_fleet", "groups")[0].Text("group"), "gpu");
}

void ExpectEdits(const std::string& store) {
  EXPECT_FALSE(GoodputRename(store, "nlp/llm", "vision/llm"));  // it exists
  EXPECT_FALSE(GoodputRename(store, "none", "other"));
  const auto renamed = GoodputRename(store, "nlp/llm", "nlp/seven");
  ASSERT_TRUE(renamed) << renamed.error().what;
  const auto named = [&](const std::string& name) {
    const auto jobs = GoodputJobs(store);
    int found = 0;
    for (const Row& row : RowsOf(*jobs, "goodput_jobs", "jobs")) found += row.Text("job") == name;
    return found;
  };
  EXPECT_EQ(named("nlp/llm"), 0);
  EXPECT_EQ(named("nlp/seven"), 1);
  const auto after = GoodputReport({.store = store, .job = "nlp/seven"});
  EXPECT_EQ(std::get<double>(MetricOf(*after, "goodput", "goodput_ratio")), 1.0);
  const auto deleted = GoodputDelete(store, "nlp/seven");
  ASSERT_TRUE(deleted) << deleted.error().what;
  EXPECT_EQ(named("nlp/seven"), 0);
  EXPECT_EQ(named("vision/llm"), 1);
  EXPECT_FALSE(GoodputDelete(store, "nlp/seven"));
}

using GoodputFleetTest = LedgerTest;

TEST_F(GoodputFleetTest, TeamsAreSummed) {
  ImportText(TwoTeams());
  ExpectFleet(store_);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 5000 * kSecond}));
  ExpectFleet(store_);  // labels outlive their events
}

TEST_F(GoodputFleetTest, JobsAreRenamedAndDeleted) {
  ImportText(TwoTeams());
  ExpectEdits(store_);
}

TEST_F(GoodputFleetTest, RolledUpJobsAreRenamedAndDeleted) {
  ImportText(TwoTeams());
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 5000 * kSecond}));
  ExpectEdits(store_);
}

TEST_F(GoodputFleetTest, WeeksAreRowsOfTheirOwn) {
  // Monday 2026-06-01 is 272,000 s after.
  ImportText(Line("x", "job_start", 271'000) + Line("x", "step_start", 271'000, R"(,"step":0)") +
             Line("x", "step_start", 272'500, R"(,"step":1)") + Line("x", "job_end", 273'000));
  const auto answer = GoodputFleet({.store = store_, .weekly = true});
  const auto rows = RowsOf(*answer, "goodput_fleet", "groups");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].Text("week"), "2026-W22");
  EXPECT_EQ(rows[0].Int("time"), 1000 * kSecond);
  EXPECT_EQ(rows[1].Text("week"), "2026-W23");
  EXPECT_EQ(rows[1].Text("group"), "(none)");
  EXPECT_FALSE(rows[0].Has("chip_hours"));
  EXPECT_EQ(ReportOf(*answer, "goodput_fleet").notes.at(0).name, "jobs_without_chips");
}

// A job that makes a step, and may have said `label`.
std::string OneStep(const std::string& name, const std::string& label) {
  const std::string text = fmt::format(R"(,"text":"{}")", label);
  return (label.empty() ? "" : Line(name, "label", 0, text)) + Line(name, "job_start", 0) +
         Line(name, "step_start", 0, R"(,"step":0)") + Line(name, "job_end", 100);
}

TEST_F(GoodputFleetTest, JobsWithoutTheLabelOrWithAnEmptyOneAreAGroupThatNoLabelJoins) {
  ImportText(OneStep("a", "") + OneStep("b", "team=") + OneStep("c", "team=-") +
             OneStep("d", "team=(none)") + OneStep("nlp/e", "team="));
  const auto answer = GoodputFleet({.store = store_});
  std::vector<std::pair<std::string, int64_t>> groups;
  for (const Row& row : RowsOf(*answer, "goodput_fleet", "groups")) {
    groups.emplace_back(row.Text("group"), row.Int("jobs"));
  }
  const std::vector<std::pair<std::string, int64_t>> expected = {
      {"(none)", 2}, {"(none)", 1}, {"-", 1}, {"nlp", 1}};
  EXPECT_EQ(groups, expected);
}

TEST_F(GoodputFleetTest, OfEqualLossesTheFirstByNameIsTheLargest) {
  goodput::JobPart part{.job = "a", .group = "nlp", .week = "", .chips = 8, .time = 30};
  part.times[static_cast<size_t>(goodput::Bucket::kQueued)] = 10;
  part.times[static_cast<size_t>(goodput::Bucket::kWasted)] = 10;
  part.times[static_cast<size_t>(goodput::Bucket::kTrainingPrep)] = 10;
  const ReportSet answer{.reports = {goodput::FleetReport({part}, {})}};
  EXPECT_EQ(RowsOf(answer, "goodput_fleet", "worst").at(0).Text("largest_badput"), "QUEUED");
  const auto mend = RowsOf(answer, "goodput_fleet", "mend");
  ASSERT_EQ(mend.size(), 3u);
  EXPECT_EQ(mend[0].Text("bucket"), "QUEUED");
  EXPECT_EQ(mend[1].Text("bucket"), "TRAINING_PREP");
}

TEST_F(GoodputFleetTest, TimesThatExceed64BitsAreUnknownAndSharesAreNot) {
  const auto part = [](const std::string& job) {
    goodput::JobPart one{.job = job, .group = "nlp", .week = "", .chips = 8, .time = INT64_MAX / 2};
    one.times[static_cast<size_t>(goodput::Bucket::kProductive)] = one.time / 2;
    one.times[static_cast<size_t>(goodput::Bucket::kQueued)] = one.time - one.time / 2;
    return one;
  };
  const Report report = goodput::FleetReport({part("a"), part("b"), part("c")}, {});
  const ReportSet answer{.reports = {report}};
  const auto groups = RowsOf(answer, "goodput_fleet", "groups");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_FALSE(groups[0].Has("time"));
  EXPECT_TRUE(groups[0].Has("badput_time"));
  EXPECT_DOUBLE_EQ(groups[0].Real("goodput_ratio"), 0.5);
}

TEST_F(GoodputFleetTest, WeeksAreThoseOfIso8601) {
  const auto week = [](int64_t days) { return goodput::WeekOf(days * 24 * kHour); };
  EXPECT_EQ(week(0), "1970-W01");       // a Thursday
  EXPECT_EQ(week(16'436), "2015-W01");  // 2015-01-01, a Thursday
  EXPECT_EQ(week(16'801), "2015-W53");  // 2016-01-01
  EXPECT_EQ(week(20'453), "2026-W01");  // 2025-12-31
  EXPECT_EQ(goodput::NextWeek(0), 4 * 24 * kHour);
}

// Two recorders with the same job in two teams, and one that is still writing.
TEST_F(GoodputFleetTest, AJobThatIsBeingWrittenIsNotChanged) {
  goodput::Recorder recorder({.directory = store_, .job = "live", .background = false});
  goodput::Record record{.kind = goodput::EventKind::kJobStart};
  ASSERT_TRUE(recorder.Write(record));
  const auto renamed = GoodputRename(store_, "live", "dead");
  ASSERT_FALSE(renamed);
  EXPECT_TRUE(renamed.error().what.contains("a recorder may be writing")) << renamed.error().what;
  EXPECT_FALSE(GoodputDelete(store_, "live"));
  recorder.Close();
  EXPECT_TRUE(GoodputDelete(store_, "live"));
}

// The database of an earlier version has no table of labels.
TEST_F(GoodputFleetTest, LedgersOfEarlierVersionsAreReadAndUpgraded) {
  ImportText(TwoTeams());
  const std::string sql =
      "python3 -c \"import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute('DROP TABLE "
      "labels'); "
      "d.commit()\" " +
      store_ + "/ledger.db";
  ASSERT_EQ(std::system(sql.c_str()), 0);
  ExpectFleet(store_);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 5000 * kSecond}));
  ExpectFleet(store_);
}

// docs/goodput.md: a copy of the directory is a backup, also while a recorder writes.
TEST_F(GoodputFleetTest, ACopyIsABackup) {
  ImportText(TwoTeams());
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 600 * kSecond}));
  goodput::Recorder recorder({.directory = store_, .job = "live", .background = false});
  goodput::Record start{.kind = goodput::EventKind::kJobStart};
  ASSERT_TRUE(recorder.Write(start));
  const std::string copy = folder_.path() + "/copy", restored = folder_.path() + "/restored";
  std::filesystem::copy(store_, copy, std::filesystem::copy_options::recursive);
  std::filesystem::copy(copy, restored, std::filesystem::copy_options::recursive);
  const int64_t at = goodput::WallClock() + kSecond;  // the running job goes on
  for (const std::string job : {"nlp/llm", "vision/llm", "live"}) {
    EXPECT_EQ(Numbers(GoodputReport({.store = restored, .job = job, .at = at}), false),
              Numbers(GoodputReport({.store = store_, .job = job, .at = at}), false));
  }
  ExpectEdits(restored);
}

TEST_F(GoodputPostgres, FleetIsThatOfADirectory) {
  ImportText(TwoTeams());
  ExpectFleet(store_);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 5000 * kSecond}));
  ExpectFleet(store_);
  ExpectEdits(store_);
  Forget();
  ImportText(TwoTeams());
  ExpectEdits(store_);
}

// docs/goodput.md: a dump of the schema, loaded into a database without it.
TEST_F(GoodputPostgres, ADumpIsABackup) {
  if (std::system("command -v pg_dump psql >/dev/null") != 0) GTEST_SKIP() << "no pg_dump";
  ImportText(TwoTeams());
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 600 * kSecond}));
  const auto before = Numbers(GoodputReport({.store = store_, .job = "nlp/llm"}), false);
  const std::string dump = folder_.path() + "/dump.sql";
  ASSERT_EQ(std::system(("pg_dump -n stepscope '" + store_ + "' > " + dump).c_str()), 0);
  Forget();
  ASSERT_EQ(std::system(
                ("psql -q -v ON_ERROR_STOP=1 '" + store_ + "' < " + dump + " >/dev/null").c_str()),
            0);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_, .job = "nlp/llm"}), false), before);
  ExpectEdits(store_);
}

TEST_F(GoodputPostgres, LedgersOfEarlierVersionsAreUpgraded) {
  ImportText(TwoTeams());
  Sql("DROP TABLE stepscope.labels");
  ExpectFleet(store_);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 5000 * kSecond}));
  ExpectFleet(store_);
}

}  // namespace
}  // namespace stepscope::testing::goodput_fleet_test
