// The ledger through its front door: what goes in comes out, once, and gives the same answers.
#include "stepscope/goodput_ledger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "goodput/json_lines.h"
#include "goodput/ledger_logs.h"
#include "goodput/recorder.h"
#include "stepscope/goodput_report.h"
#include "stepscope/write.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;
using goodput::Event;
using goodput::EventKind;
using goodput::kUnknown;
using Json = nlohmann::json;

// 400 s: steps of 1 s, back from 199 to 150, a save, an end.
std::string TestJob() {
  return Entry(At("job_start_time", 0)) + Steps(0, 199, 0, 1) + Entry(At("job_start_time", 220)) +
         Steps(150, 329, 220, 1) + Entry(At("job_end_time", 400));
}

std::vector<Event> EventsOf(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  goodput::Oddities oddities;
  std::vector<Event> events;
  ReadJsonLines(std::move(*source), oddities, [&](const Event& event) { events.push_back(event); });
  return events;
}

std::vector<Event> EventsIn(const std::string& store, const std::string& job = "j") {
  goodput::Oddities oddities;
  auto logs = goodput::ListLogs(store, oddities);
  if (!logs) throw std::runtime_error(logs.error().what);
  std::vector<Event> events;
  ReadLogs(store, (*logs)[job], oddities,
           [&](const Event& event, const goodput::EventPlace&) { events.push_back(event); });
  return events;
}

int64_t MetricOf(const ReportSet& answer, std::string_view key) {
  for (const Metric& m : answer.reports.at(0).metrics) {
    if (m.key == key) return std::get<int64_t>(m.value);
  }
  throw std::runtime_error("no metric " + std::string(key));
}

// All that an answer says but for its files and, as these tell of rollups, its notes.
std::string Numbers(const Result<ReportSet>& answer, bool notes = true) {
  if (!answer) return "failed: " + answer.error().what;
  ReportSet copy = *answer;
  copy.run = {};
  for (Report& report : copy.reports) {
    if (!notes) std::erase_if(report.notes, [](const Note& n) { return n.name == "rolled_up"; });
  }
  return ToJson(copy);
}

std::vector<std::vector<Cell>> CellsOf(const ReportSet& answer, std::string_view table) {
  for (const Table& t : answer.reports.at(0).tables) {
    if (t.key == table) return t.rows;
  }
  return {};
}

class GoodputLedgerTest : public ::testing::Test {
 protected:
  ReportSet Import(const std::vector<std::string>& files) {
    auto answer = GoodputImport(store_, files);
    if (!answer) throw std::runtime_error(answer.error().what);
    return std::move(*answer);
  }
  ReportSet ImportText(const std::string& events) {
    return Import({folder_.Write("events.jsonl", events)});
  }
  std::string Export(GoodputExportFormat format, const std::string& name) {
    std::string all;
    const auto done = GoodputExport({.store = store_, .format = format},
                                    [&](std::string_view piece) -> Result<void> {
                                      all += piece;
                                      return {};
                                    });
    if (!done) throw std::runtime_error(done.error().what);
    return folder_.Write(name, all);
  }

  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/ledger";
};

TEST_F(GoodputLedgerTest, AnswersAsTheFilesDo) {
  const std::string file = folder_.Write("events.jsonl", TestJob());
  EXPECT_EQ(MetricOf(Import({file}), "imported"), 383);
  EXPECT_EQ(Numbers(GoodputReport({.store = store_})), Numbers(GoodputReport({.files = {file}})));
  EXPECT_EQ(EventsIn(store_), EventsOf(file));
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
TEST_F(GoodputLedgerTest, EqualEventsOfOneLogStay) {
  const std::string twice = Steps(0, 3, 0, 1) + Steps(2, 3, 2, 1);
  EXPECT_EQ(MetricOf(ImportText(twice), "imported"), 6);
  EXPECT_EQ(MetricOf(ImportText(twice), "imported"), 0);
  EXPECT_EQ(EventsIn(store_).size(), 6u);
}

TEST_F(GoodputLedgerTest, RecordersWriteStraightIntoIt) {
  goodput::Recorder recorder(
      {.directory = store_, .job = "j", .attempt = "a1", .background = false});
  for (int64_t s = 0; s < 10; ++s) {
    goodput::Record record{
        .kind = EventKind::kStepStart, .time = kBegin + s * kSecond, .monotonic = s, .step = s};
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

TEST_F(GoodputLedgerTest, ExportGivesAllOfEveryKind) {
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
      "stepscope_goodput_seconds_total{job=\"j\",bucket=\"PRODUCTIVE\"} 330.000000000\n"))
      << text;
  EXPECT_TRUE(text.contains("stepscope_goodput_disruptions_total{job=\"j\"} 1\n"));
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
    EXPECT_EQ(rows[1].Text("state"), "running");
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

TEST_F(GoodputLedgerTest, ADeadDatabaseCostsNoEvent) {
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

TEST_F(GoodputLedgerTest, DamageCostsTheEventItHits) {
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

TEST_F(GoodputLedgerTest, NoLedgerIsAnError) {
  EXPECT_FALSE(GoodputReport({.store = store_}));
  EXPECT_FALSE(GoodputJobs(store_));
  EXPECT_FALSE(GoodputCompact({.store = store_}));
  EXPECT_FALSE(fs::exists(store_));
  EXPECT_FALSE(GoodputImport(store_, {"/no/such/file"}));
  EXPECT_FALSE(fs::exists(store_));
}

// --- Compaction.

TEST_F(GoodputLedgerTest, RollingUpChangesNoAnswer) {
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

TEST_F(GoodputLedgerTest, WhatIsRolledUpDoesNotComeBack) {
  ImportText(TestJob());
  const std::string whole = Numbers(GoodputReport({.store = store_}), false);
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  const ReportSet again = ImportText(TestJob());
  EXPECT_EQ(MetricOf(again, "imported"), 0);
  EXPECT_EQ(again.run.notes.at(0).name, "older_than_rollup");
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), whole);
}

// Very many overlays are joined by the minute: no sum changes, and windows by less than a minute.
TEST_F(GoodputLedgerTest, ManyOverlaysAreExactToAMinute) {
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
TEST_F(GoodputLedgerTest, GoingBackBehindARollupIsExactToAMinute) {
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

TEST_F(GoodputLedgerTest, WhatARollupCannotAnswerSaysSo) {
  ImportText(TestJob());
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  EXPECT_FALSE(GoodputReport({.store = store_, .mode = GoodputMode::kMlGoodput}));
  EXPECT_FALSE(GoodputReport({.store = store_, .at = kBegin + 200 * kSecond}));
  EXPECT_TRUE(GoodputReport({.store = store_, .at = kBegin + 350 * kSecond}));
  EXPECT_FALSE(GoodputExport({.store = store_}, [](std::string_view) { return Result<void>(); }));
}

TEST_F(GoodputLedgerTest, TheSegmentOfARunningRecorderStays) {
  goodput::Recorder recorder({.directory = store_, .job = "j", .background = false});
  goodput::Record record{.kind = EventKind::kJobStart, .time = kBegin, .monotonic = 0};
  ASSERT_TRUE(recorder.Write(record));
  ASSERT_TRUE(GoodputCompact({.store = store_, .now = kBegin + 10 * kSecond}));
  record = {.kind = EventKind::kJobEnd, .time = kBegin + 20 * kSecond, .monotonic = 0};
  ASSERT_TRUE(recorder.Write(record));
  const auto answer = GoodputReport({.store = store_});
  ASSERT_TRUE(answer);
  EXPECT_EQ(MetricOf(*answer, "total"), 20 * kSecond);
}

// --- The vectors of ../shared/goodput.

class LedgerVector : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::ifstream in(GetParam());
    const Json vector = Json::parse(in);
    if (vector.contains("events_file")) {
      file_ = fs::path(GetParam()).parent_path() / vector["events_file"].get<std::string>();
      return;
    }
    std::string lines;
    for (const Json& event : vector["events"]) lines += event.dump() + "\n";
    file_ = folder_.Write("events.jsonl", lines);
  }

  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/ledger";
  std::string file_;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LedgerVector);

TEST_P(LedgerVector, AnswersAsTheFileDoes) {
  ASSERT_TRUE(GoodputImport(store_, {file_}));
  EXPECT_EQ(Numbers(GoodputReport({.store = store_})), Numbers(GoodputReport({.files = {file_}})));
  const auto late = kBegin + 10'000'000 * kSecond;
  EXPECT_EQ(
      Numbers(GoodputReport({.store = store_, .mode = GoodputMode::kMlGoodput, .at = late})),
      Numbers(GoodputReport({.files = {file_}, .mode = GoodputMode::kMlGoodput, .at = late})));
}

TEST_P(LedgerVector, RollingUpChangesNoAnswer) {
  ASSERT_TRUE(GoodputImport(store_, {file_}));
  const std::string whole = Numbers(GoodputReport({.files = {file_}}));
  std::vector<int64_t> times;
  for (const Event& event : EventsOf(file_)) {
    if (event.time != kUnknown) times.push_back(event.time);
  }
  std::ranges::sort(times);
  if (times.empty()) return;
  for (const size_t part : {1, 3, 4, 6, 7}) {
    const size_t rolled_up = std::max<size_t>(times.size() * part / 7, 1);
    const auto compacted = GoodputCompact({.store = store_, .now = times[rolled_up - 1] + 1});
    ASSERT_TRUE(compacted) << compacted.error().what;
    EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), whole) << part;
  }
}

std::vector<std::string> VectorFiles() {
  std::vector<std::string> files = SharedFiles("goodput/vectors");
  std::erase_if(files, [](const std::string& path) {
    return !path.ends_with(".json") || path.ends_with("manifest.json");
  });
  return files;
}

std::string VectorName(const ::testing::TestParamInfo<std::string>& vector) {
  std::string name = fs::path(vector.param).stem();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Goodput, LedgerVector, ::testing::ValuesIn(VectorFiles()), VectorName);

}  // namespace
}  // namespace stepscope::testing
