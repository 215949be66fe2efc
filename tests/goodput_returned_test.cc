// Loses stored events and brings them back in every way: what is there again is not missed, and
// what is not is never passed over.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/time_units.h"
#include "goodput/live/ingest.h"
#include "goodput/recorder/segment_name.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"

namespace stepscope::testing::goodput_returned_test {
namespace {

namespace fs = std::filesystem;

// Steps `from` to before `to` of writer `w`, which are its numbers too; every `of`th is of job `j`,
// the others of `k`.
std::string Steps(int from, int to, int of = 1) {
  std::string lines;
  for (int k = from; k < to; ++k) {
    lines += fmt::format(
        R"({{"job_name":"{}","writer":"w","sequence":{},"event":"step_start","step":{},"time_ns":{}}})"
        "\n",
        k % of == 0 ? "j" : "k", k, k, kBegin + k * kSecond);
  }
  return lines;
}

class GoodputReturnedTest : public LedgerTest {
 protected:
  std::unique_ptr<goodput::Ingest> Server() const {
    auto server = goodput::Ingest::Open(store_);
    if (!server) throw std::runtime_error(server.error().what);
    return std::move(*server);
  }

  // A server takes the lines and ends.
  void Send(const std::string& lines) const { Server()->Take(lines); }

  // A server takes the lines and is killed: what its directory has then is left. `ticks`: of a
  // second.
  void SendAndKill(const std::string& lines, int ticks = 3) const {
    const std::string open = store_ + ".open";
    auto server = Server();
    server->Take(lines);
    for (int64_t k = 1; k <= ticks; ++k) server->Tick(goodput::MonotonicClock());
    fs::copy(store_, open, fs::copy_options::recursive);
    server.reset();
    fs::remove_all(store_);
    fs::rename(open, store_);
  }

  std::vector<std::string> Segments() const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(store_)) {
      if (entry.path().extension() == ".goodput") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }

  // As of a ledger that no process writes to now.
  void Repair() const {
    for (const std::string& path : Segments()) {
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    }
    const auto repaired = GoodputRepair(store_);
    ASSERT_TRUE(repaired) << repaired.error().what;
  }

  static void Put(const std::string& path, int64_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
  }

  void RemoveManifests() const {
    for (const auto& entry : fs::directory_iterator(store_)) {
      if (entry.path().extension() == ".manifest") fs::remove(entry.path());
    }
  }

  std::string Check() const { return GoodputCheck(store_).value().verdict.str(); }
  std::string Faults() const {
    const auto answer = GoodputCheck(store_);
    std::string all;
    for (const auto& row : RowsOf(answer.value(), "goodput_check", "faults")) {
      all += row.Text("fault") + "\n";
    }
    return all;
  }

  // The sentences about losses that lead the answers about the job, and about all.
  std::string Lead(const std::string& job = "j") const {
    const auto answer = GoodputReport({.store = store_, .job = job});
    return LeadOf(answer.value().verdict.str());
  }
  std::string LeadOfAll() const { return LeadOf(GoodputJobs(store_).value().verdict.str()); }

 private:
  static std::string LeadOf(const std::string& verdict) {
    const size_t end = verdict.find("The numbers are of the remaining events");
    return end == verdict.npos ? "" : verdict.substr(0, end);
  }
};

constexpr std::string_view kSettles =
    "all known events of a lost segment are there again; 'goodput repair' settles it\n";

TEST_F(GoodputReturnedTest, AWriterOfSeveralJobsHasNoGaps) {
  Send(Steps(0, 200, 3));
  EXPECT_EQ(Lead("j"), "");
  EXPECT_EQ(Lead("k"), "");
  EXPECT_EQ(LeadOfAll(), "");
  EXPECT_EQ(Faults(), "");
  const auto answer = GoodputReport({.store = store_, .job = "j"});
  for (const Note& note : answer->run.notes) EXPECT_NE(note.name, "missing_events");
}

TEST_F(GoodputReturnedTest, GapsOfAWriterOfSeveralJobsCountOnce) {
  Send(Steps(0, 100, 2) + Steps(162, 300, 2));
  EXPECT_TRUE(Check().starts_with("1 fault; 62 events lost.")) << Check();
  EXPECT_EQ(LeadOfAll(),
            "Events are missing: 62 events, by gaps in the sequence numbers of their writers. ");
  for (const char* job : {"j", "k"}) {
    EXPECT_EQ(Lead(job),
              "Events are missing: 62 events, by gaps in the sequence numbers of their writers; "
              "these wrote to other jobs too, so that some may be of those. ");
  }
  Send(Steps(100, 162, 2));
  EXPECT_EQ(Lead("j") + LeadOfAll() + Faults(), "");
}

// Their numbers are known to be those of the lost segment.
TEST_F(GoodputReturnedTest, ALostSegmentOfOneJobIsNoLossOfAnother) {
  Send(Steps(0, 300, 3));
  const bool first_is_j = Content(Segments().front()).contains("j");
  fs::remove(Segments().front());
  EXPECT_TRUE(
      LeadOfAll().starts_with("Stored events are lost: 1 segment missing or damaged, with "));
  EXPECT_FALSE(LeadOfAll().contains("gaps")) << LeadOfAll();
  EXPECT_EQ((Lead("j") + Lead("k")).contains("gaps"), false) << Lead("j") << Lead("k");
  EXPECT_TRUE(first_is_j || !Lead("k").empty());
}

TEST_F(GoodputReturnedTest, AClosedSegmentThatIsSentAgainIsNotMissed) {
  Send(Steps(0, 200));
  fs::remove(Segments().front());
  EXPECT_TRUE(Check().starts_with("1 fault; 200 events lost.")) << Check();
  Send(Steps(0, 150));
  EXPECT_TRUE(Check().starts_with("1 fault; 50 events lost.")) << Check();
  Send(Steps(0, 200));
  EXPECT_EQ(Lead() + Faults(), "");
}

TEST_F(GoodputReturnedTest, ACutSegmentThatIsImportedAgainIsNotMissed) {
  Send(Steps(0, 200));
  fs::resize_file(Segments().front(), 8192 + 32 * 70);
  EXPECT_TRUE(Check().starts_with("1 fault; 130 events lost.")) << Check();
  ImportText(Steps(0, 200));
  EXPECT_EQ(Lead() + Faults(), "");
}

// Events without numbers are known by their contents, also before a repair.
TEST_F(GoodputReturnedTest, AnImportBringsBackWhatNobodyHasNumbered) {
  const std::function<void(const std::string&)> ways[] = {
      [](const std::string& segment) { fs::remove(segment); },
      [](const std::string& segment) { fs::resize_file(segment, 8192 + 32 * 300 + 7); },
      [](const std::string& segment) { Put(segment, 8192 + 32 * 100 + 9, "\x55"); }};
  for (const auto& lose : ways) {
    fs::remove_all(store_);
    ImportText(TestJob());
    const std::string segment = Segments().front();
    lose(segment);
    EXPECT_NE(Lead(), "");
    ImportText(Entry(At("job_start_time", 5), "other"));
    EXPECT_NE(Faults(), "");
    ImportText(TestJob());
    EXPECT_EQ(Lead() + LeadOfAll() + Faults(), "");
    // What is lost later is missed.
    for (const std::string& one : Segments()) fs::remove(one);
    EXPECT_NE(Lead(), "");
  }
}

// Of an open segment nobody knows the end, so that a repair is asked for.
TEST_F(GoodputReturnedTest, AnOpenSegmentThatIsSentAgainIsSettledByARepair) {
  for (const bool repair_first : {false, true}) {
    for (const int ticks : {0, 3}) {
      for (const bool cut : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", repair_first, ticks, cut));
        fs::remove_all(store_);
        SendAndKill(Steps(0, 200), ticks);
        cut ? fs::resize_file(Segments().front(), 8192 + 32 * 70) : (void)fs::remove(Segments()[0]);
        EXPECT_EQ(
            Lead().starts_with("Stored events are lost: 1 segment missing or damaged, with an "
                               "unknown number of events"),
            true)
            << Lead();
        EXPECT_TRUE(Check().starts_with("1 fault; an unknown number of events lost.")) << Check();
        if (repair_first) Repair();
        EXPECT_NE(Lead(), "");
        Send(Steps(0, 200));
        if (!repair_first) {
          EXPECT_EQ(Faults(), kSettles);
          Repair();
        }
        EXPECT_EQ(Lead() + Faults(), "");
      }
    }
  }
}

TEST_F(GoodputReturnedTest, AFlippedBitOfAnOpenSegmentIsNotMissedOnceItsEventIsThereAgain) {
  SendAndKill(Steps(0, 200));
  Put(Segments().front(), 8192 + 32 * 100 + 9, "\x55");
  EXPECT_TRUE(Check().starts_with("1 fault; 1 event lost.")) << Check();
  EXPECT_NE(Lead(), "");
  Send(Steps(0, 200));
  EXPECT_EQ(Lead() + Faults(), "");
}

TEST_F(GoodputReturnedTest, ZerosAtTheEndOfAnOpenSegmentAreNoticed) {
  SendAndKill(Steps(0, 200));
  Put(Segments().front(), 8192 + 32 * 150, std::string(32 * 50, '\0'));
  EXPECT_TRUE(Check().starts_with("1 fault; an unknown number of events lost.")) << Check();
  EXPECT_EQ(Lead(), "Stored events are lost: an unknown number of events in damaged records. ");
  Send(Steps(0, 200));
  EXPECT_EQ(Lead() + Faults(), "");
}

TEST_F(GoodputReturnedTest, AnOpenSegmentCutInItsFirstSecondIsNoticed) {
  SendAndKill(Steps(0, 200), 0);
  fs::resize_file(Segments().front(), 8192 + 32 * 100);
  EXPECT_EQ(Faults(), "a segment was cut\n");
  EXPECT_NE(Lead(), "");
}

// The sequence numbers know of a segment that no manifest knows of any more.
TEST_F(GoodputReturnedTest, ASegmentThatIsLostWithItsManifestIsAGap) {
  Send(Steps(0, 200));
  const std::string first = Segments().front();
  Send(Steps(200, 300));
  fs::remove(first);
  RemoveManifests();
  EXPECT_TRUE(Check().starts_with("1 fault; 200 events lost.")) << Check();
  EXPECT_EQ(Lead(),
            "Events are missing: 200 events, by gaps in the sequence numbers of their writers. ");
  EXPECT_EQ(MetricOf(GoodputCheck(store_).value(), "unlisted"), 1);
}

}  // namespace
}  // namespace stepscope::testing::goodput_returned_test
