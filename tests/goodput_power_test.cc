// Cuts the power at every sync of a recorder, a server and the commands of a ledger: what was
// promised is there, nothing is doubled, and a check finds no fault.
//
// STEPSCOPE_POWER_STATES=10000 makes so many random states; without it some hundred.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "goodput/live/ingest.h"
#include "goodput/recorder/recorder.h"
#include "goodput/recorder/segment_name.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/power_loss.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

namespace stepscope::testing::goodput_power_test {
namespace {

namespace fs = std::filesystem;
using goodput::Event;
using goodput::EventKind;

class GoodputPowerTest : public ::testing::Test {
 protected:
  GoodputPowerTest() { fs::create_directories(store_); }

  // Random states in all, over all moments.
  static int64_t States() {
    const char* const asked = std::getenv("STEPSCOPE_POWER_STATES");
    return asked == nullptr ? 150 : std::atoll(asked);
  }

  // Opens what the power loss leaves and tests it: at every moment with nothing and with all of
  // what was not synced, and random parts of it.
  void TestAll(PowerLoss& power,
               const std::function<void(const std::string& store, int64_t promised)>& test,
               int64_t states = States()) {
    const std::vector<PowerLoss::Moment> all = power.Stop();
    const auto moments = std::ssize(all);
    ASSERT_GT(moments, 4);
    std::mt19937 random(20260131);
    for (int64_t k = 0; k < moments + moments + states; ++k) {
      const double kept = k < moments       ? 0
                          : k < 2 * moments ? 1
                                            : 0.1 * static_cast<double>(1 + k % 9);
      const auto& moment = all[static_cast<size_t>(k % moments)];
      SCOPED_TRACE(fmt::format("moment {} of {}, {} kept, {} promised", k % moments, moments, kept,
                               moment.promised));
      const std::string left = folder_.path() + "/left";
      WriteState(moment, kept, random, left);
      const auto checked = GoodputCheck(left);
      ASSERT_TRUE(checked) << checked.error().what;
      ASSERT_EQ(MetricOf(*checked, "faults"), 0) << FaultsOf(*checked);
      test(left, moment.promised);
      if (HasFailure()) return;
    }
  }

  static std::string FaultsOf(const ReportSet& checked) {
    std::string faults;
    for (const auto& row : RowsOf(checked, "goodput_check", "faults")) {
      faults += row.Text("file") + ": " + row.Text("fault") + "\n";
    }
    return faults;
  }

  // Events with the numbers from 0 to `promised` at least, each once.
  static void ExpectNumbered(const std::string& store, int64_t promised) {
    std::set<int64_t> numbers;
    for (const Event& event : EventsIn(store)) {
      ASSERT_TRUE(numbers.insert(event.sequence).second) << event.sequence;
    }
    for (int64_t k = 0; k < promised; ++k) ASSERT_TRUE(numbers.contains(k)) << k << promised;
  }

  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/ledger";
};

TEST_F(GoodputPowerTest, ARecorderKeepsWhatItSynced) {
  PowerLoss power(store_);
  goodput::Recorder recorder({.directory = store_,
                              .job = "j",
                              .segment_bytes = 64 << 10,
                              .heartbeat = 0,
                              .background = false});
  int64_t written = 0;
  const auto write = [&](int64_t count) {
    for (; count > 0; --count) {
      goodput::Record record{.kind = EventKind::kStepStart, .step = written};
      ASSERT_TRUE(recorder.Write(record));
      ++written;
    }
  };
  for (int64_t second = 1; second < 12; ++second) {
    write(350);
    recorder.Tick(goodput::MonotonicClock() + second * 2 * kSecond);
    ASSERT_TRUE(recorder.Flush());
    power.Promise(written);
    write(70);
  }
  recorder.Close();
  power.Promise(written);
  TestAll(power, ExpectNumbered);
}

TEST_F(GoodputPowerTest, AServerKeepsWhatItSynced) {
  PowerLoss power(store_);
  auto ingest = goodput::Ingest::Open(store_);
  ASSERT_TRUE(ingest);
  int64_t taken = 0;
  const auto take = [&](int64_t count) {
    std::string lines;
    for (; count > 0; --count, ++taken) {
      lines += fmt::format(
          R"({{"job_name":"j","writer":"w","sequence":{},"event":"step_start","step":{},"time_ns":{}}})"
          "\n",
          taken, taken, kBegin + taken * kSecond);
    }
    ASSERT_EQ((*ingest)->Take(lines).no_room, 0);
  };
  for (int second = 0; second < 9; ++second) {
    take(1700);
    ASSERT_TRUE((*ingest)->Tick(goodput::MonotonicClock()));
    power.Promise(taken);
    take(300);
  }
  ingest->reset();
  power.Promise(taken);
  TestAll(power, ExpectNumbered);
}

// Import, again with more, compact, rename and delete. After each the answer is that of a whole
// ledger; between two it is one of both.
TEST_F(GoodputPowerTest, CommandsOfALedgerAreWholeOrNotAtAll) {
  const std::string half = TestJob().substr(0, TestJob().find('\n', 9000) + 1);
  const std::string first = folder_.Write("half.jsonl", half),
                    second = folder_.Write("all.jsonl", TestJob()),
                    other = folder_.Write("other.jsonl", Entry(At("job_start_time", 5), "other"));
  PowerLoss power(store_);
  int64_t promised = 0;
  const auto does = [&](const Result<ReportSet>& done) {
    ASSERT_TRUE(done) << done.error().what;
    power.Promise(++promised);
  };
  does(GoodputImport(store_, {first}));
  does(GoodputImport(store_, {second}));
  does(GoodputImport(store_, {other}));
  does(GoodputCompact({.store = store_, .now = kBegin + 300 * kSecond}));
  does(GoodputDelete(store_, "other"));
  does(GoodputCompact({.store = store_}));
  const int64_t some = std::ranges::count(half, '\n');
  TestAll(power, [&](const std::string& store, int64_t done) {
    const auto jobs = GoodputJobs(store);
    ASSERT_TRUE(jobs) << jobs.error().what;
    int64_t events = 0;
    bool has_other = false;
    for (const auto& row : RowsOf(*jobs, "goodput_jobs", "jobs")) {
      if (row.Text("job") == "j") events = row.Int("events");
      has_other = has_other || row.Text("job") == "other";
    }
    EXPECT_LE(events, 383);
    EXPECT_GE(events, done >= 2 ? 383 : done == 1 ? some : 0);
    EXPECT_TRUE(has_other || done != 3);
    EXPECT_FALSE(has_other && done >= 5);
  });
}

// Segments of one import are synced together, more of them than one sync takes. What a power loss
// leaves of it, the same import completes, and doubles nothing.
TEST_F(GoodputPowerTest, AnImportOfManyJobsIsWholeOrIsCompletedByAnother) {
  // More than one batch of segments; fewer where each of the imports takes ten times as long.
  constexpr int64_t kJobs = kSanitized ? 30 : 300;
  std::string lines;
  for (int64_t k = 0; k < kJobs; ++k)
    lines += Entry(At("job_start_time", static_cast<double>(k)), fmt::format("job{}", k));
  const std::string log = folder_.Write("many.jsonl", lines);
  PowerLoss power(store_);
  ASSERT_TRUE(GoodputImport(store_, {log}));
  power.Promise(1);
  const auto test = [&](const std::string& store, int64_t done) {
    if (done == 1) {
      ASSERT_EQ(MetricOf(*GoodputCheck(store), "events"), kJobs);
    }
    const auto again = GoodputImport(store, {log});
    ASSERT_TRUE(again) << again.error().what;
    ASSERT_EQ(MetricOf(*again, "imported") + MetricOf(*again, "known"), kJobs);
    const auto checked = GoodputCheck(store);
    ASSERT_EQ(MetricOf(*checked, "events"), kJobs);
    ASSERT_EQ(MetricOf(*checked, "segments"), kJobs);
  };
  TestAll(power, test, States() / 5);
}

}  // namespace
}  // namespace stepscope::testing::goodput_power_test
