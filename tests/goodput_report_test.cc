// Checks GoodputReport() on files of events.
#include "stepscope/goodput_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "stepscope/condition.h"
#include "stepscope/write.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/gzip.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_report_test {
namespace {

// 100 s: 10 s of preparation, steps 0..4, 20 s down, steps 3..5 of which 3 is made again.
std::string Job() {
  return Entry(At("job_start_time", 0)) + Entry(At("training_prep_start_time", 0)) +
         Entry(At("training_prep_end_time", 10)) + Steps(0, 4, 10, 10) +
         Entry(At("job_start_time", 70)) + Steps(3, 5, 70, 10) + Entry(At("job_end_time", 100));
}

class GoodputReportTest : public ::testing::Test {
 protected:
  ReportSet Answer(const std::string& events, GoodputReportOptions options = {}) {
    options.files = {folder_.Write("events.jsonl", events)};
    auto answer = GoodputReport(options);
    if (!answer) throw std::runtime_error(answer.error().what);
    for (const Format f : {Format::kText, Format::kJson, Format::kCsv, Format::kMarkdown}) {
      EXPECT_FALSE(Write(*answer, f).empty());
    }
    return std::move(*answer);
  }

  Cell MetricOf(const ReportSet& answer, std::string_view key) {
    for (const Metric& m : answer.reports.at(0).metrics) {
      if (m.key == key) return m.value;
    }
    return {};
  }

  // "PRODUCTIVE 60 ...": bucket and seconds, row by row.
  std::string Buckets(const ReportSet& answer) {
    std::string text;
    for (const Row& row : RowsOf(answer, "goodput", "buckets")) {
      if (row.Int("time") == 0) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : " ", row.Text("bucket"),
                          static_cast<double>(row.Int("time")) / 1e9);
    }
    return text;
  }

  const ScratchFolder folder_;
};

TEST_F(GoodputReportTest, ReportsBuckets) {
  const ReportSet answer = Answer(Job());
  EXPECT_EQ(Buckets(answer),
            "PRODUCTIVE 60 INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 20 TRAINING_PREP 10 "
            "WASTED_PROGRESS_FROM_DISRUPTION 10");
  EXPECT_EQ(MetricOf(answer, "goodput_ratio"), Cell(0.6));
  EXPECT_EQ(MetricOf(answer, "total"), Cell(100 * kSecond));
  EXPECT_EQ(MetricOf(answer, "productive"), Cell(60 * kSecond));
  EXPECT_EQ(MetricOf(answer, "disruptions"), Cell(int64_t{1}));
  EXPECT_EQ(MetricOf(answer, "max_productive_step"), Cell(int64_t{5}));
  const auto disruptions = RowsOf(answer, "goodput", "disruptions");
  ASSERT_EQ(disruptions.size(), 1u);
  EXPECT_EQ(disruptions[0].Int("cost"), 30 * kSecond);
  EXPECT_EQ(RowsOf(answer, "goodput", "attempts").size(), 2u);
  EXPECT_EQ(answer.run.name, "j");
  EXPECT_EQ(answer.run.files.at(0).events, 13);
}

// Of the clock on the wall people get dates, programs the number.
TEST_F(GoodputReportTest, ReportsSegments) {
  const ReportSet answer = Answer(Job());
  EXPECT_EQ(MetricOf(answer, "start"), Cell(kBegin));
  EXPECT_NE(ToText(answer).find("2026-05-28 20:26:40 UTC"), std::string::npos) << ToText(answer);
  EXPECT_NE(ToText(answer).find("2026-05-28 20:28:20 UTC"), std::string::npos);
  EXPECT_NE(ToJson(answer).find(R"("value": 1780000000000000000, "unit": "unix_ns")"),
            std::string::npos);
}

TEST_F(GoodputReportTest, ReadsGzipAndFilesInOrder) {
  const std::string job = Job();
  const size_t cut = job.find('\n', job.size() / 2) + 1;
  const auto answer = GoodputReport({.files = {folder_.Write("a.gz", Gzip(job.substr(0, cut))),
                                               folder_.Write("b.jsonl", job.substr(cut))}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(MetricOf(*answer, "productive"), Cell(60 * kSecond));
}

TEST_F(GoodputReportTest, TimesWindowsAndExclusions) {
  const auto at = [](double seconds) { return kBegin + static_cast<int64_t>(seconds * 1e9); };
  // Asked in the middle, nothing later is known: the fourth step is open.
  EXPECT_EQ(Buckets(Answer(Job(), {.at = at(45)})), "PRODUCTIVE 30 TRAINING_PREP 10 IN_PROGRESS 5");
  EXPECT_EQ(Buckets(Answer(Job(), {.window = std::pair(at(45), at(65))})),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 15 WASTED_PROGRESS_FROM_DISRUPTION 5");
  const ReportSet excluded = Answer(Job(), {.exclusions = {{{at(50), at(70)}}}});
  EXPECT_EQ(MetricOf(excluded, "goodput_ratio"), Cell(60.0 / 80));
}

// A hang shows up in the last hour.
TEST_F(GoodputReportTest, RollingWindowsEndNow) {
  const std::string job = Entry(At("job_start_time", 0)) + Steps(0, 719, 0, 10);
  const ReportSet answer = Answer(job, {.at = kBegin + 9000 * kSecond});
  const auto rows = RowsOf(answer, "goodput", "rolling");
  ASSERT_EQ(rows.size(), 1u);  // of two and a half hours
  EXPECT_EQ(rows[0].Text("window"), "hour");
  EXPECT_EQ(rows[0].Int("productive"), (7190 - 5400) * kSecond);
  const ReportSet part = Answer(job, {.window = std::pair(kBegin, kBegin + 7000 * kSecond)});
  for (const Table& table : part.reports.at(0).tables) EXPECT_NE(table.key, "rolling");
}

TEST_F(GoodputReportTest, EveryBucketHasAKind) {
  for (const auto mode : {GoodputMode::kPartition, GoodputMode::kMlGoodput}) {
    const ReportSet answer = Answer(Job(), {.mode = mode});
    EXPECT_EQ(UnknownKinds(answer), std::vector<std::string>{});
    std::map<std::string, std::string> kinds;
    for (const Row& row : RowsOf(answer, "goodput", "buckets")) {
      kinds[row.Text("bucket")] = row.Text("kind");
    }
    EXPECT_EQ(kinds["WASTED_PROGRESS_FROM_DISRUPTION"], "wasted");
    EXPECT_EQ(kinds["TRAINING_PREP"], "startup");
  }
}

// Rolling back is what the library understands: the same, but for what it calls the time down.
TEST_F(GoodputReportTest, ReportsTheLibrarysNumbers) {
  const ReportSet answer = Answer(Job(), {.mode = GoodputMode::kMlGoodput});
  EXPECT_EQ(Buckets(answer),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 20 TRAINING_PREP 10 "
            "WASTED_PROGRESS_FROM_DISRUPTION 10");
  EXPECT_EQ(MetricOf(answer, "goodput_ratio"), Cell(0.6));
  EXPECT_EQ(MetricOf(answer, "ideal_step_time"), Cell(10 * kSecond));
}

std::string Saved(const std::string& step, const std::string& folder, double seconds) {
  return Entry(R"("event_type": "save", "step": )" + step + R"(, "directory": ")" + folder +
               R"(", )" + At("checkpoint_manager_blocking_start_time", 12) +
               fmt::format(R"(, "checkpoint_manager_blocking_duration_secs": {})", seconds));
}

// A row for each tier, and one for both only if both have any.
TEST_F(GoodputReportTest, ReportsTheLibrarysCheckpointsByTier) {
  const auto totals = [&](const std::string& entries) {
    std::string text;
    const ReportSet answer = Answer(Job() + entries, {.mode = GoodputMode::kMlGoodput});
    for (const Row& row : RowsOf(answer, "goodput", "checkpoints")) {
      text += fmt::format("{} {}; ", row.Text("part"), row.Int("total") / kSecond);
    }
    return text;
  };
  EXPECT_EQ(totals(Saved("1", "/ssd", 2) + Saved("2", "/ssd", 3)),
            "local save: manager blocking 5; ");
  EXPECT_EQ(totals(Saved("1", "/ssd", 2) + Saved("1", "gs://b/c", 7)),
            "local save: manager blocking 2; persistent save: manager blocking 7; "
            "any save: manager blocking 9; ");
}

// 5, 3, 3 and 3 s: the mean of the steps that are not slow is 3 s.
TEST_F(GoodputReportTest, ReportsTheLibrarysStepDeviations) {
  const std::string job = Entry(At("job_start_time", 0)) + Steps(0, 0, 0, 1) + Steps(1, 4, 5, 3) +
                          Entry(At("job_end_time", 20));
  const auto deviations = [&](GoodputReportOptions options) {
    options.mode = GoodputMode::kMlGoodput;
    std::string text;
    const ReportSet answer = Answer(job, options);
    for (const Row& row : RowsOf(answer, "goodput", "step_deviation")) {
      text +=
          fmt::format("{}: {} of {}; ", row.Int("step"),
                      static_cast<double>(row.Int("deviation")) / 1e9, row.Int("time") / kSecond);
    }
    return text;
  };
  EXPECT_EQ(deviations({}), "0: 2 of 5; 1: 0 of 3; 2: 0 of 3; 3: 0 of 3; ");
  EXPECT_EQ(deviations({.ideal_step_time = 7 * kSecond / 2}),
            "0: 1.5 of 5; 1: 0.5 of 3; 2: 0.5 of 3; 3: 0.5 of 3; ");
  EXPECT_EQ(deviations({.most_steps = 1}), "3: 0 of 3; ");
  // With exclusions, without startup and the excluded time, and signed.
  const auto at = [](double s) { return kBegin + static_cast<int64_t>(s * kSecond); };
  EXPECT_EQ(deviations({.exclusions = {{{at(6), at(7)}}}, .ideal_step_time = 3 * kSecond}),
            "0: -0.333333333 of 2; 1: -1 of 2; 2: 0 of 3; 3: 0 of 3; ");
}

// 100 s: half of the slices train, and all are there from 60 s on. Before the first record none is.
TEST_F(GoodputReportTest, ReportsTheLibrarysShareOfSlices) {
  const auto slices = [](int active, int available, double at) {
    return Entry(fmt::format(R"("active_slices": {}, "total_slices": 4, "available_slices": {}, )",
                             active, available) +
                 At("elastic_slice_counts_timestamp", at));
  };
  const std::string job = Entry(At("job_start_time", 0)) + slices(2, 2, 20) + Steps(0, 2, 30, 10) +
                          slices(2, 4, 60) + Steps(3, 4, 60, 10) + Entry(At("job_end_time", 100));
  const auto share = [&](const char* key, GoodputReportOptions options) {
    options.mode = GoodputMode::kMlGoodput;
    return std::get<double>(MetricOf(Answer(job, options), key));
  };
  EXPECT_NEAR(share("active_slices", {}), 0.4, 1e-12);
  EXPECT_NEAR(share("available_slices", {}), 0.2 + 0.4, 1e-12);
  // A window knows only what was recorded in it.
  const auto at = [](double s) { return kBegin + static_cast<int64_t>(s * kSecond); };
  EXPECT_NEAR(share("active_slices", {.window = std::pair(at(40), at(80))}), 0.25, 1e-12);
  EXPECT_NEAR(share("available_slices", {.window = std::pair(at(40), at(80))}), 0.5, 1e-12);
  EXPECT_EQ(MetricOf(Answer(Job(), {.mode = GoodputMode::kMlGoodput}), "active_slices"), Cell());
}

// Its headline defect: a save on the notice, and the outage is productive.
TEST_F(GoodputReportTest, LibraryMissesGracefulPreemption) {
  const std::string job = Entry(At("job_start_time", 0)) + Steps(0, 4, 0, 10) +
                          Entry(At("job_start_time", 300)) + Steps(5, 9, 300, 10) +
                          Entry(At("job_end_time", 350));
  EXPECT_EQ(MetricOf(Answer(job), "disruptions"), Cell(int64_t{1}));
  EXPECT_NEAR(std::get<double>(MetricOf(Answer(job), "goodput_ratio")), 90.0 / 350, 1e-12);
  const ReportSet theirs = Answer(job, {.mode = GoodputMode::kMlGoodput});
  EXPECT_EQ(MetricOf(theirs, "disruptions"), Cell(int64_t{0}));
  EXPECT_EQ(MetricOf(theirs, "goodput_ratio"), Cell(1.0));
}

TEST_F(GoodputReportTest, UnanswerableLibraryQueriesAreErrors) {
  const ReportSet answer = Answer(Steps(0, 4, 0, 10), {.mode = GoodputMode::kMlGoodput});
  EXPECT_EQ(answer.reports.at(0).status, Status::kPartial);
  EXPECT_TRUE(answer.reports.at(0).why.contains("Total job time is zero"));
  EXPECT_EQ(MetricOf(Answer(Steps(0, 4, 0, 10)), "productive"), Cell(40 * kSecond));
}

TEST_F(GoodputReportTest, SeparatesJobs) {
  const std::string events =
      Entry(At("job_start_time", 0), "a") + Steps(0, 3, 0, 10) + Entry(At("job_end_time", 40), "a");
  const std::string path = folder_.Write("two.jsonl", events);
  const auto unclear = GoodputReport({.files = {path}});
  ASSERT_FALSE(unclear);
  EXPECT_TRUE(unclear.error().where.contains("'a'"));
  EXPECT_EQ(MetricOf(Answer(events, {.job = "a"}), "total"), Cell(40 * kSecond));
  EXPECT_EQ(Answer(events, {.job = "a"}).run.notes.at(0).name, "other_job");
  EXPECT_EQ(Answer(events, {.job = "b"}).reports.at(0).status, Status::kUnavailable);
}

TEST_F(GoodputReportTest, UnavailableWithoutEvents) {
  for (const char* nothing : {"", "\n\n", "garbage\n", "{}\n", "{\"job_name\": \"j\"}\n"}) {
    const ReportSet answer = Answer(nothing);
    EXPECT_EQ(answer.reports.at(0).status, Status::kUnavailable) << nothing;
    EXPECT_TRUE(answer.reports.at(0).tables.empty());
  }
  EXPECT_EQ(Answer(Job(), {.at = kBegin - 1}).reports.at(0).status, Status::kUnavailable);
  EXPECT_FALSE(GoodputReport({.files = {"/no/such/file"}}));
}

// Every irregularity is a note with a count.
TEST_F(GoodputReportTest, NotesOddEvents) {
  const ReportSet answer = Answer(Job() + "garbage\n" + Job());
  EXPECT_EQ(MetricOf(answer, "productive"), Cell(60 * kSecond));
  const auto& notes = answer.reports.at(0).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].name, "duplicate");
  EXPECT_EQ(notes[0].count, 13);
  EXPECT_EQ(answer.run.notes.at(0).name, "bad_line");
}

TEST_F(GoodputReportTest, EvaluatesConditions) {
  const ReportSet answer = Answer(Job());
  EXPECT_EQ(Matches(answer, std::vector{*ParseCondition("goodput.goodput_ratio<0.7")})->size(), 1u);
  EXPECT_TRUE(Matches(answer, std::vector{*ParseCondition("goodput.disruptions>1")})->empty());
}

TEST(GoodputTime, ParsesSecondsAndNow) {
  EXPECT_EQ(ParseGoodputTime("1780000000.25").value(), kBegin + kSecond / 4);
  EXPECT_GT(ParseGoodputTime("now").value(), kSecond);
  for (const char* bad : {"", "soon", "1e30", "12x", "nan"})
    EXPECT_FALSE(ParseGoodputTime(bad)) << bad;
  EXPECT_EQ(ParseGoodputInterval("1..2.5").value(), std::pair(kSecond, 5 * kSecond / 2));
  for (const char* bad : {"", "1", "2..1", "1..", "..2"})
    EXPECT_FALSE(ParseGoodputInterval(bad)) << bad;
}

}  // namespace
}  // namespace stepscope::testing::goodput_report_test
