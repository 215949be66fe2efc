// Checks that compaction changes no number, and that unanswerable queries are errors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_model.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/shared_data.h"

namespace stepscope::testing::goodput_compact_test {
namespace {

namespace fs = std::filesystem;
using goodput::EventKind;

using GoodputCompactTest = LedgerTest;

std::vector<std::vector<Cell>> CellsOf(const ReportSet& answer, std::string_view table) {
  for (const Table& t : answer.reports.at(0).tables) {
    if (t.key == table) return t.rows;
  }
  return {};
}

TEST_F(GoodputCompactTest, RollupChangesNoAnswer) {
  ImportText(TestJob());
  const std::string whole = Numbers(GoodputReport({.store = store_}), false);
  const std::pair window(kBegin + 100 * kSecond, kBegin + 250 * kSecond);
  const std::string part = Numbers(GoodputReport({.store = store_, .window = window}), false);
  int64_t rolled_up = 0;
  for (const int64_t second : {50, 199, 210, 300, 401}) {
    const auto compacted = GoodputCompact({.store = store_, .now = kBegin + second * kSecond});
    ASSERT_TRUE(compacted) << compacted.error().what;
    rolled_up += MetricOf(*compacted, "rolled_up");
    const auto answer = GoodputReport({.store = store_});
    EXPECT_EQ(Numbers(answer, false), whole) << second;
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->reports[0].notes.at(0).name, "rolled_up");
    EXPECT_EQ(answer->reports[0].notes[0].count, rolled_up);
    EXPECT_EQ(Numbers(GoodputReport({.store = store_, .window = window}), false), part) << second;
    EXPECT_EQ(EventsIn(store_).empty(), second == 401);  // the only segment goes at last
  }
  EXPECT_EQ(rolled_up, 383);
  EXPECT_EQ(RowsOf(*GoodputJobs(store_), "goodput_jobs", "jobs").at(0).Int("events"), 383);
}

TEST_F(GoodputCompactTest, RolledUpEventsAreNotImportedAgain) {
  ImportText(TestJob());
  const std::string whole = Numbers(GoodputReport({.store = store_}), false);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  const ReportSet again = ImportText(TestJob());
  EXPECT_EQ(MetricOf(again, "imported"), 0);
  EXPECT_EQ(again.run.notes.at(0).name, "older_than_rollup");
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), whole);
}

// Very many overlays are joined by the minute: no sum changes, and windows by less than a minute.
TEST_F(GoodputCompactTest, ManyOverlaysAreExactToAMinute) {
  std::string job = Entry(At("job_start_time", 0));
  for (int64_t s = 0; s < 24'000; ++s) {
    const double at = static_cast<double>(s) + (s < 13'337 ? 0 : 77.25);
    if (s == 13'337) job += Entry(At("job_start_time", at));
    const int64_t step = s < 13'337 ? s : s - 500;
    job += Entry(fmt::format("\"step_count\": {}, ", step) + At("step_start_time", at));
    const std::string type =
        fmt::format("\"custom_badput_event_type\": \"{}\", ", s % 3 == 0 ? "eval" : "log");
    job += Entry(type + At("custom_badput_event_start_time", at + 0.25));
    job += Entry(type + At("custom_badput_event_end_time", at + (s % 5 == 0 ? 0.75 : 0.5)));
  }
  ImportText(job);
  const auto raw = GoodputReport({.store = store_});
  ASSERT_TRUE(raw);
  for (const int64_t now : {20'000, 100'000}) {
    const auto compacted = GoodputCompact({.store = store_, .now = kBegin + now * kSecond});
    ASSERT_TRUE(compacted);
    EXPECT_LT(RowsOf(*compacted, "goodput_compact", "jobs").at(0).Int("rollup_bytes"), 120'000);
    const auto whole = GoodputReport({.store = store_});
    ASSERT_TRUE(whole);
    for (const char* table : {"buckets", "custom", "attempts", "disruptions"}) {
      EXPECT_EQ(CellsOf(*raw, table), CellsOf(*whole, table)) << table;
      EXPECT_FALSE(CellsOf(*raw, table).empty()) << table;
    }
  }
  const std::string file = folder_.path() + "/events.jsonl";
  for (const int64_t from : {1'000, 12'345, 13'330}) {
    const std::pair window(kBegin + from * kSecond, kBegin + (from + 777) * kSecond);
    const auto of_file = GoodputReport({.files = {file}, .window = window});
    const auto of_store = GoodputReport({.store = store_, .window = window});
    ASSERT_TRUE(of_file && of_store);
    const auto exact = RowsOf(*of_file, "goodput", "buckets");
    const auto near = RowsOf(*of_store, "goodput", "buckets");
    ASSERT_EQ(exact.size(), near.size());
    for (const Row& e : exact) {
      for (const Row& n : near) {
        if (n.Text("bucket") != e.Text("bucket")) continue;
        EXPECT_NEAR(static_cast<double>(n.Int("time")), static_cast<double>(e.Int("time")), 60e9);
      }
    }
  }
}

// A restart that goes back to before the raw events: its loss is exact to a minute.
TEST_F(GoodputCompactTest, RollbackBeforeARollupIsExactToAMinute) {
  const std::string first = Entry(At("job_start_time", 0)) + Steps(0, 999, 0, 1);
  const std::string then = Entry(At("job_start_time", 1100)) + Steps(437, 600, 1100, 1);
  ImportText(first);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 2000 * kSecond}));
  Import({folder_.Write("then.jsonl", then)});
  const auto answer = GoodputReport({.store = store_});
  const auto exact = GoodputReport({.files = {folder_.Write("all.jsonl", first + then)}});
  ASSERT_TRUE(answer && exact);
  EXPECT_EQ(MetricOf(*answer, "total"), MetricOf(*exact, "total"));
  EXPECT_EQ(MetricOf(*exact, "productive"), (437 + 163) * kSecond);
  EXPECT_NEAR(static_cast<double>(MetricOf(*answer, "productive") - MetricOf(*exact, "productive")),
              0, 60e9);
}

// What the job itself says of its chips, its work and its checkpoints.
TEST_F(GoodputCompactTest, KeepsChipsTokensAndSaves) {
  std::string job;
  const auto say = [&](std::string_view kind, int64_t second, const std::string& fields) {
    job += fmt::format(R"({{"job_name": "j", "event": "{}", "time": {}{}}})", kind,
                       1780000000 + second, fields) +
           "\n";
  };
  const auto chips = [&](int64_t second, int64_t requested, int64_t allocated) {
    say("resources", second,
        fmt::format(R"(, "requested": {}, "allocated": {})", requested, allocated));
  };
  say("job_submitted", 0, "");
  chips(0, 8, 0);
  chips(10, 8, 8);
  for (int64_t begin : {20, 220}) {
    say("job_start", begin, "");
    for (int64_t s = begin; s < begin + 100; ++s) {
      say("step_start", s, fmt::format(R"(, "step": {})", s - begin));
      say("work", s, R"(, "tokens": 1000000)");
      if (s % 25 != 0) continue;
      job += Entry(fmt::format(R"("step": {}, "event_type": "save", "directory": "gs://x",)"
                               R"( "checkpoint_manager_blocking_start_time": {},)"
                               R"( "checkpoint_manager_blocking_duration_secs": 0.25)",
                               s - begin, 1780000000.5 + static_cast<double>(s)));
    }
    chips(begin + 110, 8, 4);
    chips(begin + 150, 8, 8);
  }
  say("job_end", 400, "");
  ImportText(job);
  GoodputReportOptions options{.store = store_};
  options.program = ProgramOptions{
      .shape = {.layers = 1, .width = 1, .sequence = 1, .parameters = 1e9}, .peak_flops = 750e12};
  const auto before = GoodputReport(options);
  ASSERT_TRUE(before) << before.error().what;
  const auto fit = [&] { return FitGoodputModel({.store = store_}, {}); };
  const auto fitted = fit();
  ASSERT_TRUE(fitted) << fitted.error().what;
  EXPECT_GT(fitted->save_s.value_or(0), 0.2);
  // Both of the answers depend on them: 8 chips were wanted for 400 s, and 200 M tokens made.
  const std::string output = Numbers(before, false);
  EXPECT_TRUE(output.contains("scheduling_goodput")) << output;
  EXPECT_TRUE(output.contains("\"mfu\"")) << output;
  for (const int64_t second : {5, 15, 60, 200, 250, 400, 401}) {
    ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + second * kSecond}));
    EXPECT_EQ(Numbers(GoodputReport(options), false), output) << second;
    const auto again = fit();
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(again->save_s, fitted->save_s) << second;
    EXPECT_EQ(again->checkpoint_interval_s, fitted->checkpoint_interval_s) << second;
  }
  EXPECT_TRUE(EventsIn(store_).empty());
}

TEST_F(GoodputCompactTest, UnanswerableQueriesAreErrors) {
  ImportText(TestJob());
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  EXPECT_FALSE(GoodputReport({.store = store_, .mode = GoodputMode::kMlGoodput}));
  EXPECT_FALSE(GoodputReport({.store = store_, .at = kBegin + 200 * kSecond}));
  EXPECT_TRUE(GoodputReport({.store = store_, .at = kBegin + 350 * kSecond}));
  EXPECT_FALSE(GoodputExport({.store = store_}, [](std::string_view) { return Result<void>(); }));
}

TEST_F(GoodputCompactTest, KeepsSegmentsOfRunningRecorders) {
  goodput::Recorder recorder({.directory = store_, .job = "j", .background = false});
  goodput::Record record{.kind = EventKind::kJobStart, .time = kBegin, .monotonic = 0};
  ASSERT_TRUE(recorder.Write(record));
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 10 * kSecond}));
  record = {.kind = EventKind::kJobEnd, .time = kBegin + 20 * kSecond, .monotonic = 20 * kSecond};
  ASSERT_TRUE(recorder.Write(record));
  const auto answer = GoodputReport({.store = store_});
  ASSERT_TRUE(answer);
  EXPECT_EQ(MetricOf(*answer, "total"), 20 * kSecond);
}

// The vectors of ../shared/goodput.
class LedgerVector : public ::testing::TestWithParam<std::string> {
 protected:
  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/ledger";
  const std::string file_ = EventsFileOf(GetParam(), folder_);
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LedgerVector);

TEST_P(LedgerVector, AnswersLikeTheFile) { ExpectToAnswerAsTheFile(store_, file_); }

TEST_P(LedgerVector, RollupChangesNoAnswer) { ExpectRollingUpToChangeNothing(store_, file_); }

std::string VectorName(const ::testing::TestParamInfo<std::string>& vector) {
  std::string name = fs::path(vector.param).stem();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Goodput, LedgerVector, ::testing::ValuesIn(VectorFiles()), VectorName);

}  // namespace
}  // namespace stepscope::testing::goodput_compact_test
