// Checks the ledger through its public functions: events are stored once and give the same answers.
#include "stepscope/goodput_ledger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "goodput/ledger/ledger_store.h"
#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_ledger_test {
namespace {

namespace fs = std::filesystem;
using goodput::Event;
using goodput::EventKind;
using goodput::kUnknown;

using GoodputLedgerTest = LedgerTest;

TEST_F(GoodputLedgerTest, AnswersLikeFiles) {
  const std::string file = folder_.Write("events.jsonl", TestJob());
  EXPECT_EQ(MetricOf(Import({file}), "imported"), 383);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_})), Numbers(GoodputReport({.files = {file}})));
  EXPECT_EQ(EventsIn(store_), EventsOf(file));
}

// `--events FOLDER`: a directory of segments among files is read as what it is.
TEST_F(GoodputLedgerTest, ADirectoryOfARecorderIsReadAsEvents) {
  ImportText(TestJob());
  EXPECT_EQ(Numbers(GoodputReport({.files = {store_}})), Numbers(GoodputReport({.store = store_})));
  const auto mixed = GoodputReport({.files = {store_, folder_.path() + "/events.jsonl"}});
  ASSERT_FALSE(mixed);
  EXPECT_TRUE(mixed.error().what.starts_with("cannot read a directory of events together"));
}

TEST_F(GoodputLedgerTest, ADirectoryOfARecorderIsImported) {
  const std::string recorded = folder_.path() + "/recorded";
  goodput::Recorder recorder({.directory = recorded, .job = "llm", .background = false});
  for (int64_t step = 0; step < 3; ++step) {
    goodput::Record record{.kind = EventKind::kStepStart, .step = step};
    ASSERT_TRUE(recorder.Write(record));
  }
  recorder.Close();
  const std::vector<Event> events = EventsIn(recorded, "llm");
  EXPECT_EQ(MetricOf(Import({recorded}), "imported"), std::ssize(events));
  EXPECT_EQ(EventsIn(store_, "llm"), events);
  EXPECT_EQ(MetricOf(Import({recorded}), "known"), std::ssize(events));
  const auto itself = GoodputImport(store_, {store_});
  ASSERT_FALSE(itself);
  EXPECT_EQ(itself.error().what, "cannot import a directory into itself");
}

// Two logs of one name would be one log, and the first one's events would be lost in silence.
TEST_F(GoodputLedgerTest, NoSegmentTakesTheNameOfAnother) {
  auto store = goodput::StoreAt(store_);
  ASSERT_TRUE(store->Connect(goodput::Access::kWrite));
  const goodput::SegmentHeader header{.salt = 1, .slots = 1, .job = "j"};
  const std::string bytes(goodput::kSlotsBegin + goodput::kSlotBytes, '\0');
  EXPECT_TRUE(store->Add("a-1.goodput", header, bytes));
  ASSERT_TRUE(store->Sync({}));
  EXPECT_FALSE(store->Add("a-1.goodput", header, bytes));
}

TEST_F(GoodputLedgerTest, LogsOfOneImportAreCounted) {
  std::string lines;
  for (int k = 0; k < 9; ++k) lines += Entry(At("job_start_time", 1), fmt::format("job{}", k));
  ImportText(lines);
  std::vector<uint64_t> numbers;
  for (const auto& entry : fs::directory_iterator(store_)) {
    if (entry.path().extension() != ".goodput") continue;
    const std::string name = entry.path().stem();  // 20260131T235959Z-77-1a2b3c4d-000000
    numbers.push_back(std::stoull(name.substr(name.size() - 15, 8), nullptr, 16));
  }
  std::ranges::sort(numbers);
  ASSERT_EQ(numbers.size(), 9u);
  EXPECT_TRUE(numbers.back() - numbers.front() == 8 || numbers.front() == 0);  // or it went round
}

// Each with the first value, and what is expected instead.
TEST_F(GoodputLedgerTest, WrongTimesAreTold) {
  const std::string texts = folder_.Write(
      "texts", R"({"job_name":"j","event":"step_start","time":"2026-05-28T20:26:40Z","step":1})");
  const std::string old = folder_.Write(
      "old", R"({"job_name":"j","step_count":1,"step_start_time":"2026-05-28 20:26:40"})");
  const std::string ms =
      folder_.Write("ms", R"({"job_name":"j","event":"step_start","time":1780000000500,"step":1})");
  const auto why = [](const Result<ReportSet>& answer) {
    return answer && answer->reports[0].absent ? answer->reports[0].absent->what : "";
  };
  EXPECT_EQ(why(GoodputReport({.files = {texts}})),
            "there are no events to report on: entries were skipped: a time is text, not seconds "
            "since 1970: time \"2026-05-28T20:26:40Z\"");
  EXPECT_TRUE(why(GoodputReport({.files = {old}}))
                  .ends_with("since 1970: step_start_time \"2026-05-28 20:26:40\""));
  EXPECT_EQ(why(GoodputImport(store_, {ms})),
            "there are no events to import: entries were skipped: a time or step number is out "
            "of range: time 1780000000500, where seconds since 1970 are expected");
}

TEST_F(GoodputLedgerTest, ImportingAgainIsHarmless) {
  ImportText(TestJob().substr(0, TestJob().find('\n', 9000) + 1));  // the file was still growing
  const std::vector<Event> half = EventsIn(store_);
  EXPECT_GT(half.size(), 90u);
  EXPECT_LT(half.size(), 200u);
  const ReportSet rest = ImportText(TestJob());
  EXPECT_EQ(MetricOf(rest, "known"), static_cast<int64_t>(half.size()));
  const std::vector<Event> all = EventsIn(store_);
  EXPECT_EQ(all, EventsOf(folder_.path() + "/events.jsonl"));
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "imported"), 0);
  EXPECT_EQ(EventsIn(store_), all);
}

// The reference library counts what came twice, so a log keeps it; importing it again does not.
TEST_F(GoodputLedgerTest, KeepsEqualEventsOfOneLog) {
  const std::string twice = Steps(0, 3, 0, 1) + Steps(2, 3, 2, 1);
  EXPECT_EQ(MetricOf(ImportText(twice), "imported"), 6);
  EXPECT_EQ(MetricOf(ImportText(twice), "imported"), 0);
  EXPECT_EQ(EventsIn(store_).size(), 6u);
}

TEST_F(GoodputLedgerTest, RecordersWriteDirectly) {
  goodput::Recorder recorder(
      {.directory = store_, .job = "j", .attempt = "a1", .background = false});
  for (int64_t s = 0; s < 10; ++s) {
    goodput::Record record{.kind = EventKind::kStepStart,
                           .time = kBegin + s * kSecond,
                           .monotonic = s * kSecond,
                           .step = s};
    ASSERT_TRUE(recorder.Write(record));
  }
  // Of a recorder that still runs, and once more when it is done.
  const auto running = GoodputReport({.store = store_});
  ASSERT_TRUE(running) << running.error().what;
  EXPECT_EQ(MetricOf(*running, "productive"), 9 * kSecond);
  recorder.Close();
  EXPECT_EQ(Numbers(GoodputReport({.store = store_})), Numbers(running));
  const std::vector<Event> before = EventsIn(store_);
  ASSERT_EQ(before.size(), 10u);
  EXPECT_EQ(before[3].sequence, 3);
  // What it wrote comes back from an export as what is there already.
  const std::string exported = Export(GoodputExportFormat::kJsonLines, "out.jsonl");
  EXPECT_EQ(EventsOf(exported), before);
  EXPECT_EQ(MetricOf(Import({exported}), "known"), 10);
}

// Two attempts on two hosts, whose segments' names do not sort by time.
TEST_F(GoodputLedgerTest, LogsAreMergedByTime) {
  fs::create_directories(store_);
  for (const int64_t second : {100, 0, 50}) {
    goodput::Recorder recorder({.directory = store_, .job = "j", .background = false});
    for (int64_t s = 0; s < 10; ++s) {
      goodput::Record record{.kind = EventKind::kHeartbeat,
                             .time = kBegin + (second + 10 * s) * kSecond,
                             .monotonic = 0};
      ASSERT_TRUE(recorder.Write(record));
    }
  }
  const std::vector<Event> events = EventsIn(store_);
  ASSERT_EQ(events.size(), 30u);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &Event::time));
}

TEST_F(GoodputLedgerTest, ExportsEveryKind) {
  std::string lines;
  for (int k = 1; k < static_cast<int>(EventKind::kCount); ++k) {
    lines += fmt::format(
        R"({{"event": "{}", "job_name": "j", "time_ns": {}, "monotonic_ns": {}, "step": {}, "writer": "w", )"
        R"("sequence": {}, "attempt": "a\"\n{}", "text": "t,\"ü", "requested": 7, "tokens": 9, "flops": 5e12, )"
        R"("active_slices": 1, "total_slices": 2, "available_slices": 2, "dropped": 3, "spans_ns": "{}+5,-,7,-+9"}})"
        "\n",
        EventKindName(static_cast<EventKind>(k)), kBegin + k, k, k * 3, k, k % 3, kBegin + 1);
  }
  const std::string file = folder_.Write("all.jsonl", lines);
  Import({file});
  const std::vector<Event> events = EventsIn(store_);
  EXPECT_EQ(events, EventsOf(file));
  EXPECT_EQ(events.size(), static_cast<size_t>(EventKind::kCount) - 1);
  EXPECT_EQ(events[21].checkpoint.manager.start, kBegin + 1);
  EXPECT_EQ(events[21].checkpoint.wait_for_prev.start, 7);
  EXPECT_EQ(events[21].checkpoint.get_old_steps.duration, 9);
  EXPECT_EQ(EventsOf(Export(GoodputExportFormat::kJsonLines, "out.jsonl")), events);
  std::ifstream csv(Export(GoodputExportFormat::kCsv, "out.csv"));
  std::string first, second;
  std::getline(csv, first);
  std::getline(csv, second);
  EXPECT_TRUE(first.starts_with("job,attempt,writer,sequence,event,time_ns,"));
  EXPECT_EQ(second, "j,\"a\"\"");  // the attempt's name goes on in the next line
}

TEST_F(GoodputLedgerTest, OpenMetricsHasEveryBucketOnce) {
  ImportText(TestJob());
  std::ifstream in(Export(GoodputExportFormat::kOpenMetrics, "out.prom"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(text.contains(
      "stepscope_goodput_seconds_total{training_job=\"j\",bucket=\"PRODUCTIVE\"} 330.000000000\n"))
      << text;
  EXPECT_TRUE(text.contains("stepscope_goodput_disruptions_total{training_job=\"j\"} 1\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST_F(GoodputLedgerTest, JobsAreListed) {
  ImportText(TestJob() + Entry(At("job_start_time", 5), "other") + Entry(R"("bad": 1)", "third"));
  const auto twice = {GoodputJobs(store_), GoodputJobs(store_)};
  for (const auto& answer : twice) {
    ASSERT_TRUE(answer);
    const auto rows = RowsOf(*answer, "goodput_jobs", "jobs");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].Text("job"), "j");
    EXPECT_EQ(rows[0].Int("first"), kBegin);
    EXPECT_EQ(rows[0].Int("last"), kBegin + 400 * kSecond);
    EXPECT_EQ(rows[0].Int("events"), 383);
    EXPECT_EQ(rows[0].Int("attempts"), 2);
    EXPECT_NEAR(rows[0].Real("goodput_ratio"), 330.0 / 400, 1e-12);
    EXPECT_EQ(rows[0].Text("state"), "ended");
    EXPECT_EQ(rows[1].Text("state"), "silent");
  }
  const auto unclear = GoodputReport({.store = store_});
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().where, "'j', 'other'");
  EXPECT_TRUE(GoodputReport({.store = store_, .job = "other"}));
  EXPECT_EQ(GoodputReport({.store = store_, .job = "none"})->reports[0].status,
            Status::kUnavailable);
}

// Entries that lack a name belong to the job spoken of before; the first ones to the first job.
TEST_F(GoodputLedgerTest, EntriesWithoutAName) {
  const std::string nameless = "{\"step_count\": 7, \"step_start_time\": 1780000001}\n";
  EXPECT_EQ(MetricOf(ImportText(nameless + Steps(8, 9, 8, 1) + nameless), "imported"), 4);
  EXPECT_EQ(EventsIn(store_).size(), 4u);
  EXPECT_EQ(EventsIn(store_)[0].job, "j");
}

TEST_F(GoodputLedgerTest, DamagedDatabaseLosesNoEvent) {
  ImportText(TestJob());
  const std::string before = Numbers(GoodputReport({.store = store_}));
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(store_ + "/ledger.db" + part);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_})), before);
  folder_.Write("ledger/ledger.db", std::string(5000, 'x'));
  const auto answer = GoodputReport({.store = store_});
  EXPECT_EQ(Numbers(answer), before);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->run.notes.size(), 1u);
  EXPECT_EQ(answer->run.notes[0].name, "bad_database");
  EXPECT_FALSE(GoodputImport(store_, {folder_.path() + "/events.jsonl"}));
}

TEST_F(GoodputLedgerTest, DamageLosesOnlyItsEvent) {
  ImportText(TestJob());
  for (const auto& entry : fs::directory_iterator(store_)) {
    if (entry.path().extension() != ".goodput") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192 + 100 * 32 + 9);
    file.put('\x55');
  }
  folder_.Write("ledger/bad.goodput", "no segment");
  EXPECT_EQ(EventsIn(store_).size(), 382u);
  const auto answer = GoodputReport({.store = store_});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reports[0].notes.at(0).name, "bad_record");
  EXPECT_EQ(answer->run.notes.at(0).name, "bad_segment");
  // The import puts back what is missing.
  EXPECT_EQ(MetricOf(ImportText(TestJob()), "imported"), 1);
}

TEST_F(GoodputLedgerTest, MissingLedgerIsAnError) {
  EXPECT_FALSE(GoodputReport({.store = store_}));
  EXPECT_FALSE(GoodputJobs(store_));
  EXPECT_FALSE(GoodputCompact({.store = store_}));
  EXPECT_FALSE(fs::exists(store_));
  EXPECT_FALSE(GoodputImport(store_, {"/no/such/file"}));
  EXPECT_FALSE(fs::exists(store_));
}

}  // namespace
}  // namespace stepscope::testing::goodput_ledger_test
