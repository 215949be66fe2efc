// Queries ledgers through their public functions, and reads their events.
#include "tests/ledger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "goodput/events/json_lines.h"
#include "goodput/ledger/ledger.h"
#include "stepscope/goodput_report.h"
#include "stepscope/write.h"
#include "tests/goodput_lines.h"
#include "tests/shared_data.h"

namespace stepscope::testing {
namespace {

namespace fs = std::filesystem;
using goodput::Event;
using Json = nlohmann::json;

}  // namespace

std::vector<Event> EventsIn(const std::string& store, const std::string& job,
                            goodput::Notes* note_counts) {
  const auto ledger = goodput::Ledger::Open(store, goodput::Access::kRead);
  if (!ledger) throw std::runtime_error(ledger.error().what);
  goodput::Notes unasked;
  std::vector<Event> events;
  ledger->ReadRaw(
      job, note_counts == nullptr ? unasked : *note_counts,
      [&](const Event& event, const goodput::EventPlace&, bool) { events.push_back(event); });
  if (const auto read = ledger->ReadStatus(); !read) throw std::runtime_error(read.error().what);
  return events;
}

std::vector<Event> EventsOf(const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source) throw std::runtime_error(source.error().what);
  goodput::Notes note_counts;
  std::vector<Event> events;
  ReadJsonLines(std::move(*source), note_counts,
                [&](const Event& event) { events.push_back(event); });
  return events;
}

std::string TestJob() {
  return Entry(At("job_start_time", 0)) + Steps(0, 199, 0, 1) + Entry(At("job_start_time", 220)) +
         Steps(150, 329, 220, 1) + Entry(At("job_end_time", 400));
}

int64_t MetricOf(const ReportSet& answer, std::string_view key) {
  for (const Metric& m : answer.reports.at(0).metrics) {
    if (m.key == key) return std::get<int64_t>(m.value);
  }
  throw std::runtime_error("no metric " + std::string(key));
}

std::string Numbers(const Result<ReportSet>& answer, bool notes) {
  if (!answer) return "failed: " + answer.error().what;
  ReportSet copy = *answer;
  copy.run = {};
  for (Report& report : copy.reports) {
    if (!notes) std::erase_if(report.notes, [](const Note& n) { return n.name == "rolled_up"; });
  }
  return ToJson(copy);
}

std::vector<std::string> VectorFiles() {
  std::vector<std::string> files = SharedFiles("goodput/vectors");
  std::erase_if(files, [](const std::string& path) {
    return !path.ends_with(".json") || path.ends_with("manifest.json");
  });
  return files;
}

std::string EventsFileOf(const std::string& vector, const ScratchFolder& folder) {
  std::ifstream in(vector);
  const Json json = Json::parse(in);
  if (json.contains("events_file")) {
    return fs::path(vector).parent_path() / json["events_file"].get<std::string>();
  }
  std::string lines;
  for (const Json& event : json["events"]) lines += event.dump() + "\n";
  return folder.Write("events.jsonl", lines);
}

void ExpectToAnswerAsTheFile(const std::string& store, const std::string& file) {
  const auto imported = GoodputImport(store, {file});
  ASSERT_TRUE(imported) << imported.error().what;
  EXPECT_EQ(Numbers(GoodputReport({.store = store})), Numbers(GoodputReport({.files = {file}})));
  const auto late = kBegin + 10'000'000 * kSecond;
  EXPECT_EQ(Numbers(GoodputReport({.store = store, .mode = GoodputMode::kMlGoodput, .at = late})),
            Numbers(GoodputReport({.files = {file}, .mode = GoodputMode::kMlGoodput, .at = late})));
}

void ExpectRollingUpToChangeNothing(const std::string& store, const std::string& file) {
  ASSERT_TRUE(GoodputImport(store, {file}));
  const std::string whole = Numbers(GoodputReport({.files = {file}}));
  std::vector<int64_t> times;
  for (const Event& event : EventsOf(file)) {
    if (event.time != goodput::kUnknown) times.push_back(event.time);
  }
  std::ranges::sort(times);
  if (times.empty()) return;
  for (const size_t part : {1u, 3u, 4u, 6u, 7u}) {
    const size_t rolled_up = std::max<size_t>(times.size() * part / 7, 1);
    const auto compacted = GoodputCompact({.store = store, .now = times[rolled_up - 1] + 1});
    ASSERT_TRUE(compacted) << compacted.error().what;
    EXPECT_EQ(Numbers(GoodputReport({.store = store}), false), whole) << part;
  }
}

ReportSet LedgerTest::Import(const std::vector<std::string>& files) const {
  auto answer = GoodputImport(store_, files);
  if (!answer) throw std::runtime_error(answer.error().what);
  return std::move(*answer);
}

ReportSet LedgerTest::ImportText(const std::string& events) const {
  return Import({folder_.Write("events.jsonl", events)});
}

std::string LedgerTest::Export(GoodputExportFormat format, const std::string& name) const {
  std::string all;
  const auto done = GoodputExport({.store = store_, .format = format},
                                  [&](std::string_view piece) -> Result<void> {
                                    all += piece;
                                    return {};
                                  });
  if (!done) throw std::runtime_error(done.error().what);
  return folder_.Write(name, all);
}

}  // namespace stepscope::testing
