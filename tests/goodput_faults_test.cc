// Damages ledgers in every way and checks that no answer passes over it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "goodput/live/ingest.h"
#include "goodput/recorder/manifest.h"
#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_fleet.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/shell.h"

namespace stepscope::testing::goodput_faults_test {
namespace {

namespace fs = std::filesystem;
using goodput::EventKind;

constexpr std::string_view kLead = "Stored events are lost";

class GoodputFaultsTest : public LedgerTest {
 protected:
  // Three segments of one recorder, 2048 slots each, of steps of a second.
  void RecordSteps(int64_t steps = 5000, bool close = true) {
    goodput::Recorder recorder({.directory = store_,
                                .job = "j",
                                .segment_bytes = 64 << 10,
                                .heartbeat = 0,
                                .background = false});
    for (int64_t s = 0; s < steps; ++s) {
      goodput::Record record{.kind = EventKind::kStepStart,
                             .time = kBegin + s * kSecond,
                             .monotonic = s * kSecond,
                             .step = s};
      ASSERT_TRUE(recorder.Write(record)) << s;
      if (s % 500 == 0) recorder.Tick(s * kSecond);
    }
    if (close) recorder.Close();
  }

  // Segments, by name.
  std::vector<std::string> Segments() const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(store_)) {
      if (entry.path().extension() == ".goodput") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }

  std::string Verdict() const {
    const auto answer = GoodputReport({.store = store_, .job = "j"});
    return answer ? answer->verdict.str() : "failed: " + answer.error().what;
  }

  std::vector<std::string> Faults() const {
    const auto answer = GoodputCheck(store_);
    if (!answer) return {"failed: " + answer.error().what};
    std::vector<std::string> faults;
    for (const auto& row : RowsOf(*answer, "goodput_check", "faults")) {
      faults.push_back(row.Text("fault"));
    }
    return faults;
  }

  static void Put(const std::string& path, int64_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  }
};

using Strings = std::vector<std::string>;

TEST_F(GoodputFaultsTest, AWholeLedgerHasNone) {
  RecordSteps();
  ImportText(TestJob());
  EXPECT_EQ(Faults(), Strings{});
  EXPECT_FALSE(Verdict().starts_with(kLead)) << Verdict();
}

struct Damage {
  const char* name;
  std::function<void(const Strings& segments)> apply;
  Strings faults;
  int64_t lost;  // events, as the check says; -1: unknown
};

TEST_F(GoodputFaultsTest, EveryDamageLeadsTheAnswerAndIsListed) {
  const Damage all[] = {
      {"cut",
       [](const Strings& s) { fs::resize_file(s[1], 8192 + 1000 * 32); },
       {"a segment was cut"},
       792},
      {"cut within the header",
       [](const Strings& s) { fs::resize_file(s[1], 5000); },
       {"a segment was cut"},
       1792},
      {"cut to nothing",
       [](const Strings& s) { fs::resize_file(s[1], 0); },
       {"the header of a segment is damaged"},
       1792},
      {"deleted", [](const Strings& s) { fs::remove(s[0]); }, {"a segment is missing"}, 1792},
      {"the last deleted",
       [](const Strings& s) { fs::remove(s.back()); },
       {"a segment is missing"},
       1416},
      {"a byte flipped",
       [](const Strings& s) { Put(s[1], 8192 + 70 * 32 + 9, "\x55"); },
       {"records of a segment are damaged or missing"},
       1},
      {"a record zeroed",
       [](const Strings& s) { Put(s[1], 8192 + 70 * 32, std::string(32, '\0')); },
       {"records of a segment are damaged or missing"},
       1},
      {"records zeroed at the end",
       [](const Strings& s) { Put(s[1], 8192 + 1700 * 32, std::string(92 * 32, '\0')); },
       {"records of a segment are damaged or missing"},
       92},
      {"header zeroed",
       [](const Strings& s) { Put(s[1], 0, std::string(8192, '\0')); },
       {"the header of a segment is damaged"},
       1792},
      {"two exchanged",
       [](const Strings& s) {
         fs::rename(s[0], s[0] + ".x");
         fs::rename(s[1], s[0]);
         fs::rename(s[0] + ".x", s[1]);
       },
       {"a segment was replaced by another one", "a segment was replaced by another one"},
       0},
  };
  for (const Damage& damage : all) {
    SCOPED_TRACE(damage.name);
    fs::remove_all(store_);
    RecordSteps();
    const Strings segments = Segments();
    ASSERT_EQ(segments.size(), 3u);
    const std::string whole = Verdict();
    damage.apply(segments);
    EXPECT_TRUE(Verdict().starts_with(kLead)) << Verdict();
    EXPECT_EQ(Faults(), damage.faults);
    const auto checked = GoodputCheck(store_);
    ASSERT_TRUE(checked);
    int64_t lost = 0;
    for (const auto& row : RowsOf(*checked, "goodput_check", "faults")) {
      if (damage.lost > 0) lost += row.Int("lost_events");
    }
    EXPECT_EQ(lost, damage.lost);
    // Once repaired nothing is missed, and what is lost still leads.
    const auto dry = GoodputRepair(store_, true);
    ASSERT_TRUE(dry) << dry.error().what;
    EXPECT_EQ(Faults(), damage.faults);
    const auto repaired = GoodputRepair(store_);
    ASSERT_TRUE(repaired) << repaired.error().what;
    EXPECT_EQ(Faults(), Strings{});
    EXPECT_EQ(Verdict().starts_with(kLead), damage.lost > 0) << Verdict();
    EXPECT_TRUE(damage.lost > 0 || Verdict() == whole) << Verdict();
    const auto after = GoodputReport({.store = store_, .job = "j"});
    ASSERT_TRUE(after);
    const auto said = std::ranges::count(after->run.notes, "repaired", &Note::name);
    EXPECT_EQ(said, damage.lost == 0 ? 0 : 1);
  }
}

TEST_F(GoodputFaultsTest, ListsOfJobsAreLedToo) {
  RecordSteps();
  const std::string lost = Segments().front();
  ImportText(TestJob() + Entry(At("job_start_time", 5), "other"));
  fs::remove(lost);
  const auto jobs = GoodputJobs(store_);
  ASSERT_TRUE(jobs);
  EXPECT_TRUE(jobs->verdict.starts_with(kLead)) << jobs->verdict.str();
  const auto fleet = GoodputFleet({.store = store_});
  ASSERT_TRUE(fleet);
  EXPECT_TRUE(fleet->verdict.starts_with(kLead)) << fleet->verdict.str();
  // Another job has lost nothing.
  const auto other = GoodputReport({.store = store_, .job = "other"});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->verdict.starts_with(kLead)) << other->verdict.str();
}

TEST_F(GoodputFaultsTest, AJobOfWhichAllIsMissingIsKnown) {
  RecordSteps();
  for (const std::string& segment : Segments()) fs::remove(segment);
  EXPECT_TRUE(Verdict().starts_with(kLead)) << Verdict();
  EXPECT_EQ(Faults().size(), 3u);
}

// As from a backup that was made while the recorder ran.
TEST_F(GoodputFaultsTest, AnEarlierCopyOfASegmentIsAFault) {
  goodput::Recorder recorder({.directory = store_, .job = "j", .background = false});
  const auto write = [&](int64_t from, int64_t to) {
    for (int64_t s = from; s < to; ++s) {
      goodput::Record record{
          .kind = EventKind::kStepStart, .time = kBegin + s * kSecond, .step = s};
      ASSERT_TRUE(recorder.Write(record));
    }
    ASSERT_TRUE(recorder.Flush());
  };
  write(0, 100);
  const std::string segment = Segments().front(), earlier = Content(segment);
  write(100, 300);
  recorder.Close();
  EXPECT_EQ(Faults(), Strings{});
  std::ofstream(segment, std::ios::binary) << earlier;
  EXPECT_TRUE(Verdict().starts_with(
      "Stored events are lost: 1 segment missing or damaged, with 200 events"))
      << Verdict();
}

TEST_F(GoodputFaultsTest, ImportedSegmentsAreCoveredToo) {
  ImportText(TestJob());
  fs::resize_file(Segments().front(), 8192 + 300 * 32);
  EXPECT_TRUE(Verdict().starts_with(
      "Stored events are lost: 1 segment missing or damaged, with 83 events from "))
      << Verdict();
}

// A killed recorder leaves segments open: they have all their room, and what follows the last sync
// may be torn.
TEST_F(GoodputFaultsTest, OpenSegmentsAreNoFault) {
  goodput::Recorder recorder(
      {.directory = store_, .job = "j", .segment_bytes = 64 << 10, .background = false});
  const auto write = [&](int64_t s) {
    goodput::Record record{.kind = EventKind::kStepStart,
                           .time = kBegin + s * kSecond,
                           .monotonic = s * kSecond,
                           .step = s};
    ASSERT_TRUE(recorder.Write(record));
  };
  for (int64_t s = 0; s < 300; ++s) write(s);
  for (int64_t k = 1; k < 4; ++k) recorder.Tick(goodput::MonotonicClock() + k * 2 * kSecond);
  for (int64_t s = 300; s < 310; ++s) write(s);
  EXPECT_EQ(Faults(), Strings{});
  const std::string segment = Segments().front();
  const std::string open = Content(segment);
  Put(segment, 8192 + 308 * 32 + 4, "torn");
  EXPECT_EQ(Faults(), Strings{});
  Put(segment, 8192 + 100 * 32 + 4, "torn");
  EXPECT_EQ(Faults(), Strings{"records of a segment are damaged or missing"});
  Put(segment, 0, open);
  EXPECT_EQ(Faults(), Strings{});
  fs::remove(segment);
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
}

TEST_F(GoodputFaultsTest, WhatAServerTookIsCovered) {
  auto ingest = goodput::Ingest::Open(store_);
  ASSERT_TRUE(ingest);
  std::string lines;
  for (int k = 0; k < 9000; ++k) {
    lines += fmt::format(
        R"({{"job_name":"j","writer":"w","sequence":{},"event":"step_start","step":{},"time_ns":{}}})"
        "\n",
        k, k, kBegin + k * kSecond);
  }
  ASSERT_EQ((*ingest)->Take(lines).stored, 9000);
  for (int64_t k = 1; k < 4; ++k) ASSERT_TRUE((*ingest)->Tick(goodput::MonotonicClock()));
  ASSERT_EQ(Segments().size(), 2u);
  EXPECT_EQ(Faults(), Strings{});
  for (const std::string& segment : Segments()) {
    const std::string bytes = Content(segment);
    fs::remove(segment);
    EXPECT_EQ(Faults(), Strings{"a segment is missing"});
    std::ofstream(segment, std::ios::binary) << bytes;
    EXPECT_EQ(Faults(), Strings{});
    fs::resize_file(segment, 8192 + 32 * 500);
    EXPECT_EQ(Faults(), Strings{"a segment was cut"});
    std::ofstream(segment, std::ios::binary) << bytes;
  }
  ingest->reset();
  EXPECT_EQ(Faults(), Strings{});
}

// Where no manifest knows of a segment, the sequence numbers do.
TEST_F(GoodputFaultsTest, GapsInSequenceNumbersLeadAndAreFaults) {
  RecordSteps();
  ImportText(Entry(At("job_start_time", 5), "other"));
  for (const auto& entry : fs::directory_iterator(store_)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".manifest") && name != "ledger.manifest") fs::remove(entry.path());
  }
  fs::remove(Segments()[1]);
  const std::string lead = "Events are missing: 1,792 events, by gaps";
  EXPECT_TRUE(Verdict().starts_with(lead)) << Verdict();
  EXPECT_TRUE(GoodputJobs(store_)->verdict.starts_with(lead));
  EXPECT_TRUE(GoodputFleet({.store = store_})->verdict.starts_with(lead));
  EXPECT_FALSE(GoodputReport({.store = store_, .job = "other"})->verdict.starts_with("Events are"));
  EXPECT_EQ(Faults(), Strings{"events are missing: gaps in a writer's sequence numbers"});
  EXPECT_EQ(MetricOf(GoodputRepair(store_).value(), "lost_events"), 1792);
  EXPECT_EQ(Faults(), Strings{});
  EXPECT_TRUE(Verdict().starts_with(kLead)) << Verdict();
}

// A kill in the first second must not leave a segment that nobody misses.
TEST_F(GoodputFaultsTest, WhatAServerTookIsCoveredAtOnce) {
  auto ingest = goodput::Ingest::Open(store_);
  ASSERT_TRUE(ingest);
  const std::string line =
      R"({"job_name":"j","writer":"w","sequence":0,"event":"step_start","step":1,"time_ns":5})";
  ASSERT_EQ((*ingest)->Take(line).stored, 1);
  EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "unlisted"), 0);
  fs::remove(Segments().front());
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
  EXPECT_TRUE(Verdict().starts_with(kLead)) << Verdict();
}

// As one that was killed before it could list them; of a server of version 0.1, too.
TEST_F(GoodputFaultsTest, AStartOfTheServerListsWhatNoManifestHas) {
  const std::string line =
      R"({"job_name":"j","writer":"w","sequence":0,"event":"step_start","step":1,"time_ns":5})";
  ASSERT_EQ(goodput::Ingest::Open(store_).value()->Take(line).stored, 1);
  for (const auto& entry : fs::directory_iterator(store_)) {
    if (entry.path().extension() == ".manifest") fs::remove(entry.path());
  }
  EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "unlisted"), 1);
  auto ingest = goodput::Ingest::Open(store_);
  ASSERT_TRUE(ingest);
  ASSERT_EQ((*ingest)->Take(line).duplicates, 1);
  EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "unlisted"), 0);
  fs::remove(Segments().front());
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
}

// Of version 0.1: no marks, no manifest.
TEST_F(GoodputFaultsTest, OldLedgersHaveNoFault) {
  RecordSteps();
  for (const auto& entry : fs::directory_iterator(store_)) {
    if (entry.path().extension() == ".manifest") fs::remove(entry.path());
  }
  for (const std::string& segment : Segments()) {
    for (const int64_t copy : {0, 4096}) Put(segment, copy + 3968, std::string(128, '\0'));
  }
  EXPECT_EQ(Faults(), Strings{});
  EXPECT_FALSE(Verdict().starts_with(kLead));
  // A repair lists them, and from then on they are missed.
  ASSERT_TRUE(GoodputRepair(store_));
  EXPECT_EQ(Faults(), Strings{});
  fs::remove(Segments().front());
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
}

TEST_F(GoodputFaultsTest, CompactedAndDeletedSegmentsAreNotMissed) {
  ImportText(TestJob());
  const std::string before = Numbers(GoodputReport({.store = store_}), false);
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  ASSERT_TRUE(Segments().empty());
  EXPECT_EQ(Faults(), Strings{});
  EXPECT_EQ(Numbers(GoodputReport({.store = store_}), false), before);
  fs::rename(store_ + "/ledger.db", store_ + "/x");
  EXPECT_TRUE(Verdict().starts_with(kLead)) << Verdict();
  EXPECT_EQ(Faults(), Strings{"a rollup is missing; its events were removed before"});
  fs::rename(store_ + "/x", store_ + "/ledger.db");
  ASSERT_TRUE(GoodputDelete(store_, "j"));
  EXPECT_EQ(Faults(), Strings{});
}

TEST_F(GoodputFaultsTest, ADamagedLedgerIsNotCompacted) {
  RecordSteps();
  fs::remove(Segments().front());
  const auto compacted = GoodputCompact({.store = store_});
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().what, "cannot compact: segments are missing or damaged");
}

TEST_F(GoodputFaultsTest, RenamedJobsAreCovered) {
  ImportText(TestJob());
  ASSERT_TRUE(GoodputRename(store_, "j", "k"));
  EXPECT_EQ(Faults(), Strings{});
  fs::remove(Segments().front());
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
  const auto answer = GoodputReport({.store = store_, .job = "k"});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with(kLead));
}

TEST_F(GoodputFaultsTest, ADamagedManifestIsAFaultOfItsOwn) {
  ImportText(TestJob());
  Put(store_ + "/ledger.manifest", 10, "x");
  EXPECT_EQ(Faults(), Strings{"a manifest is damaged"});
  EXPECT_FALSE(Verdict().starts_with(kLead));
  ASSERT_TRUE(GoodputRepair(store_));
  EXPECT_EQ(Faults(), Strings{});
  EXPECT_TRUE(fs::exists(store_ + "/ledger.manifest.damaged"));
  fs::remove(Segments().front());
  EXPECT_EQ(Faults(), Strings{"a segment is missing"});
}

// The database remembers how much of it there was.
TEST_F(GoodputFaultsTest, AManifestThatIsGoneIsAFault) {
  const std::string manifest = store_ + "/ledger.manifest";
  std::string earlier;
  const std::function<void()> ways[] = {
      [&] { fs::remove(manifest); }, [&] { fs::resize_file(manifest, 0); },
      [&] { std::ofstream(manifest, std::ios::binary) << earlier; }};
  for (const auto& lose : ways) {
    fs::remove_all(store_);
    ImportText(TestJob());
    earlier = Content(manifest);
    ImportText(Entry(At("job_start_time", 5), "other"));
    EXPECT_EQ(Faults(), Strings{});
    lose();
    const Strings gone = {"the manifest of the ledger is missing or an earlier one"};
    constexpr std::string_view lead = "The manifest of the ledger is missing or an earlier one: ";
    EXPECT_EQ(Faults(), gone);
    EXPECT_TRUE(Verdict().starts_with(lead)) << Verdict();
    EXPECT_TRUE(GoodputJobs(store_)->verdict.starts_with(lead));
    // What is stored later does not hide it.
    ImportText(Entry(At("job_start_time", 5), "third"));
    EXPECT_EQ(Faults(), gone);
    ASSERT_TRUE(GoodputRepair(store_));
    EXPECT_EQ(Faults(), Strings{});
    EXPECT_FALSE(Verdict().starts_with(lead)) << Verdict();
    EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "unlisted"), 0);
    fs::remove(Segments().front());
    EXPECT_EQ(Faults(), Strings{"a segment is missing"});
  }
}

TEST_F(GoodputFaultsTest, AManifestMadeAnewKnowsOfRollups) {
  ImportText(TestJob());
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  fs::remove(store_ + "/ledger.manifest");
  EXPECT_EQ(Faults().size(), 1u);
  ASSERT_TRUE(GoodputRepair(store_));
  EXPECT_EQ(Faults(), Strings{});
  fs::remove(store_ + "/ledger.db");
  EXPECT_EQ(Faults(), Strings{"a rollup is missing; its events were removed before"});
}

TEST_F(GoodputFaultsTest, AnUnknownJobHasItsNearestNames) {
  ImportText(Entry(At("job_start_time", 5), "llm-7b") + Entry(At("job_start_time", 5), "llm-70b") +
             Entry(At("job_start_time", 5), "vision"));
  const auto answer = GoodputReport({.store = store_, .job = "llm-7"});
  ASSERT_TRUE(answer && answer->reports[0].absent);
  EXPECT_EQ(answer->reports[0].absent->hint,
            "did you mean 'llm-7b', 'llm-70b'? Or list the jobs of " + store_);
}

TEST_F(GoodputFaultsTest, CommandsTellByTheirStatus) {
  RecordSteps();
  const auto check = [&] { return Stepscope("goodput check " + store_).code; };
  EXPECT_EQ(check(), 0);
  EXPECT_EQ(Stepscope("goodput analyze --job nothing --store " + store_).code, 2);
  fs::remove(Segments().front());
  EXPECT_EQ(check(), 1);
  EXPECT_EQ(Stepscope("goodput repair --dry-run " + store_).code, 0);
  EXPECT_EQ(check(), 1);
  const Outcome report = Stepscope("goodput analyze --store " + store_);
  EXPECT_EQ(report.code, 0);
  EXPECT_TRUE(report.out.starts_with(kLead)) << report.out;
  EXPECT_EQ(Stepscope("goodput repair " + store_).code, 0);
  EXPECT_EQ(check(), 0);
}

// A manifest of many batches, cut and damaged anywhere, says less or says that it is damaged.
TEST(GoodputManifest, DamageNeverSaysMore) {
  std::vector<goodput::ManifestEntry> entries;
  std::string bytes;
  std::vector<size_t> ends = {0};
  for (uint32_t k = 0; k < 20; ++k) {
    const goodput::ManifestEntry entry{.kind = goodput::EntryKind::kClosed,
                                       .name = fmt::format("a b%{}.goodput", k),
                                       .salt = k * 77,
                                       .slots = k,
                                       .events = k,
                                       .job = "end of\nj%"};
    entries.push_back(entry);
    bytes += goodput::EncodeEntries(std::span(&entry, 1));
    ends.push_back(bytes.size());
  }
  EXPECT_EQ(goodput::DecodeManifest(bytes).entries, entries);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto cut = goodput::DecodeManifest(std::string_view(bytes).substr(0, size));
    const auto whole = std::ranges::upper_bound(ends, size) - ends.begin() - 1;
    EXPECT_EQ(std::ssize(cut.entries), whole) << size;
    EXPECT_FALSE(cut.damaged);
    EXPECT_EQ(cut.torn, !std::ranges::binary_search(ends, size));
  }
  // Damage of the last batches may look torn.
  for (size_t at = 0; at < ends[18]; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const auto read = goodput::DecodeManifest(damaged);
    EXPECT_TRUE(read.damaged) << at;
    for (const auto& entry : read.entries) EXPECT_EQ(std::ranges::count(entries, entry), 1);
  }
}

}  // namespace
}  // namespace stepscope::testing::goodput_faults_test
