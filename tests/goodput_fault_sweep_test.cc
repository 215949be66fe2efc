// Lets each call of one kind fail in turn, while the program reads and changes a ledger: after each
// there is a clear error or the right answer, and the ledger has what it had before, or what it
// said to have stored.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "goodput/recorder/recorder.h"
#include "stepscope/goodput_report.h"
#include "tests/answer.h"
#include "tests/fault_sweep.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/paths.h"
#include "tests/sanitized.h"

namespace stepscope::testing::goodput_fault_sweep_test {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kJobSteps = 4000;  // two segments

class GoodputFaultSweep : public LedgerTest {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "not under a sanitizer: both would be malloc()";
    Record();
    file_ = folder_.Write("events.jsonl", TestJob());
    Import({file_});
    whole_ = Listing(store_);
  }

  // Of a recorder: segments of 64 KB, and a manifest of its own.
  void Record() const {
    goodput::Recorder recorder({.directory = store_,
                                .job = "recorded",
                                .segment_bytes = 64 << 10,
                                .heartbeat = 0,
                                .background = false});
    for (int64_t s = 0; s < kJobSteps; ++s) {
      goodput::Record record{.kind = goodput::EventKind::kStepStart,
                             .time = kBegin + s * kSecond,
                             .monotonic = s * kSecond,
                             .step = s};
      ASSERT_TRUE(recorder.Write(record)) << s;
      if (s % 500 == 0) recorder.Tick(s * kSecond);
    }
    recorder.Close();
  }

  // The words with a copy of the ledger at OUT/ledger.
  Sweep SweepOf(const std::string& words) const {
    return {.program = Binary(), .words = words, .prepare = [this](const std::string& out) {
              fs::copy(store_, out + "/ledger", fs::copy_options::recursive);
            }};
  }

  using Then = std::function<void(const std::string& store, const Outcome& outcome)>;

  void Each(const std::string& words, const std::vector<std::string>& kinds, int64_t sample,
            const Then& then) const {
    const Sweep sweep = SweepOf(words);
    for (const std::string& kind : kinds) {
      for (const Fault& fault : sweep.Faults(kind, sample)) {
        SCOPED_TRACE(NameOf(fault) + " of " + words);
        const ScratchFolder out;
        const Outcome outcome = sweep.Run(out.path(), fault);
        ExpectAnswerOrError(outcome);
        EXPECT_FALSE(outcome.code == 2 && outcome.err.contains("damaged")) << outcome.err;
        ExpectNoTemporary(out.path());
        then(out.path() + "/ledger", outcome);
      }
    }
  }

  // Segments and their bytes.
  static std::map<std::string, std::string> Listing(const std::string& store) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(store)) {
      if (entry.path().extension() == ".goodput")
        files[entry.path().filename()] = Content(entry.path());
    }
    return files;
  }

  static int64_t Faults(const std::string& store) {
    const auto checked = GoodputCheck(store);
    EXPECT_TRUE(checked) << checked.error().what;
    return checked ? MetricOf(*checked, "faults") : -1;
  }

  void ExpectWhole(const std::string& store) const {
    EXPECT_EQ(Listing(store), whole_);
    EXPECT_EQ(Faults(store), 0);
  }

  std::string file_;
  std::map<std::string, std::string> whole_;
};

const std::vector<std::string> kReading = {"alloc", "open", "read"};
const std::vector<std::string> kAll = {"alloc", "open", "read", "write", "sync", "rename"};

TEST_F(GoodputFaultSweep, AnswersAreRightOrErrors) {
  for (const std::string command :
       {"goodput analyze --store OUT/ledger --job recorded --at 1780009000 --format json",
        "goodput check OUT/ledger --format json", "goodput jobs --store OUT/ledger --format json",
        "goodput export --store OUT/ledger --job recorded"}) {
    const ScratchFolder out;
    const auto same = [&](std::string text, const std::string& folder) {
      for (size_t at = 0; (at = text.find(folder)) != text.npos;) text.erase(at, folder.size());
      return text;
    };
    const std::string right =
        same(SweepOf(command).Run(out.path(), {.kind = "none"}).out, out.path());
    Each(command, kReading, 6, [&](const std::string& store, const Outcome& outcome) {
      const std::string said = same(outcome.out, fs::path(store).parent_path());
      EXPECT_TRUE(outcome.code == 2 || said == right || said.contains("bad_database"))
          << said << outcome.err;
      ExpectWhole(store);
    });
  }
}

TEST_F(GoodputFaultSweep, ARepairOfAWholeLedgerDropsNothing) {
  Each("goodput repair OUT/ledger", kAll, 5, [&](const std::string& store, const Outcome&) {
    ExpectWhole(store);
    for (const auto& entry : fs::directory_iterator(store))
      EXPECT_FALSE(entry.path().string().contains(".damaged")) << entry.path();
  });
}

TEST_F(GoodputFaultSweep, ARepairKeepsWhatIsWholeAndTheRestAside) {
  // The recorder's first segment, which is full.
  const auto full = std::ranges::find(whole_, size_t{64} << 10,
                                      [](const auto& file) { return file.second.size(); });
  ASSERT_NE(full, whole_.end());
  fs::resize_file(store_ + "/" + full->first, 8192 + 1000 * 32);
  const auto others = [&](const std::string& store) {
    auto files = Listing(store);
    files.erase(full->first);
    return files;
  };
  const auto before = others(store_);
  Each("goodput repair OUT/ledger", kAll, 5, [&](const std::string& store, const Outcome&) {
    EXPECT_EQ(others(store), before);
    ASSERT_TRUE(GoodputRepair(store));
    EXPECT_EQ(Faults(store), 0);
    const auto answer = GoodputReport({.store = store, .job = "recorded"});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_TRUE(answer->verdict.starts_with("Stored events are lost: 1 segment"))
        << answer->verdict.str();
  });
}

TEST_F(GoodputFaultSweep, AManifestIsReplacedByOneThatIsWhole) {
  for (const auto& entry : fs::directory_iterator(store_)) {
    if (entry.path().extension() != ".manifest") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(3);
    file.put('\x55');
  }
  Each("goodput repair OUT/ledger", kAll, 3, [&](const std::string& store, const Outcome&) {
    EXPECT_EQ(Listing(store), whole_);
    ASSERT_TRUE(GoodputRepair(store));
    EXPECT_EQ(Faults(store), 0);
  });
}

TEST_F(GoodputFaultSweep, AnImportStoresWhatItSaysAndCanBeRepeated) {
  const std::string more = folder_.Write(
      "more.jsonl", Entry(At("job_start_time", 0), "k") + Entry(At("job_end_time", 9), "k"));
  Each("goodput import " + more + " --store OUT/ledger", kAll, 5,
       [&](const std::string& store, const Outcome& outcome) {
         EXPECT_EQ(Faults(store), 0);
         const bool stored = outcome.code == 0;
         EXPECT_TRUE(!stored || EventsIn(store, "k") == EventsOf(more));
         ASSERT_TRUE(GoodputImport(store, {more}));
         EXPECT_EQ(EventsIn(store, "k"), EventsOf(more));
         EXPECT_EQ(EventsIn(store, "j"), EventsOf(file_));
       });
}

TEST_F(GoodputFaultSweep, ACompactionChangesNoNumberAndCanBeRepeated) {
  const auto numbers = [](const std::string& store) {
    return Numbers(
        GoodputReport({.store = store, .job = "recorded", .at = kBegin + 9'000 * kSecond}), false);
  };
  const std::string before = numbers(store_);
  Each("goodput compact --store OUT/ledger --keep-raw 0s", kAll, 5,
       [&](const std::string& store, const Outcome&) {
         EXPECT_EQ(numbers(store), before);
         ASSERT_TRUE(GoodputCompact({.store = store}));
         EXPECT_EQ(numbers(store), before);
         EXPECT_EQ(Faults(store), 0);
       });
}

TEST_F(GoodputFaultSweep, ARenamedJobHasItsEventsUnderOneNameOrTheOther) {
  const size_t events = EventsIn(store_, "recorded").size();
  Each("goodput rename --store OUT/ledger --job recorded --new-name k", kAll, 3,
       [&](const std::string& store, const Outcome&) {
         EXPECT_EQ(EventsIn(store, "recorded").size() + EventsIn(store, "k").size(), events);
         EXPECT_EQ(Faults(store), 0);
         if (!EventsIn(store, "recorded").empty()) {
           ASSERT_TRUE(GoodputRename(store, "recorded", "k", true));
         }
         EXPECT_EQ(EventsIn(store, "k").size(), events);
       });
}

// A segment that cannot be removed: it is said, what is there still counts, and a repetition ends
// it.
TEST_F(GoodputFaultSweep, ADeletedJobIsGoneOrItIsSaidWhatIsLeft) {
  int said = 0;
  Each("goodput delete --yes --store OUT/ledger --job recorded", {"remove"}, 8,
       [&](const std::string& store, const Outcome& outcome) {
         EXPECT_EQ(EventsIn(store, "j"), EventsOf(file_));
         const bool left = !EventsIn(store, "recorded").empty();
         EXPECT_EQ(left, outcome.code == 2) << outcome.out << outcome.err;
         if (!left) return;
         ++said;
         EXPECT_TRUE(outcome.err.contains("segments of the job are still there: ")) << outcome.err;
         EXPECT_TRUE(outcome.err.contains("then delete the job again")) << outcome.err;
         const auto again = GoodputDelete(store, "recorded");
         EXPECT_TRUE(again) << again.error().what;
         EXPECT_TRUE(EventsIn(store, "recorded").empty());
         EXPECT_EQ(Faults(store), 0);
       });
  EXPECT_GT(said, 0);
}

TEST_F(GoodputFaultSweep, ACompactedSegmentThatCannotBeRemovedIsSaid) {
  int said = 0;
  Each("goodput compact --store OUT/ledger --keep-raw 0s", {"remove"}, 8,
       [&](const std::string& store, const Outcome& outcome) {
         EXPECT_EQ(Faults(store), 0);
         said += (outcome.out + outcome.err).contains("rolled up and still there") ? 1 : 0;
       });
  EXPECT_GT(said, 0);
}

// Fewer descriptors than a ledger needs.
TEST_F(GoodputFaultSweep, TooFewDescriptorsAreSaidAndNothingIsDropped) {
  for (const std::string command :
       {"goodput check {}", "goodput repair {}", "goodput jobs --store {}"}) {
    int refused = 0;
    for (int limit = 5; limit < 14; ++limit) {
      const ScratchFolder out;
      const std::string store = out.path() + "/ledger";
      fs::copy(store_, store, fs::copy_options::recursive);
      const std::string words = fmt::format(fmt::runtime(command), store);
      const Outcome outcome =
          Shell(fmt::format("ulimit -n {}; exec {} {}", limit, Binary(), words));
      SCOPED_TRACE(fmt::format("{} descriptors: {}", limit, words));
      ExpectAnswerOrError(outcome);
      ExpectWhole(store);
      if (outcome.code != 2) continue;
      ++refused;
      EXPECT_TRUE(outcome.err.contains("open files") || outcome.err.contains("unable to open"))
          << outcome.err;
      EXPECT_TRUE(outcome.err.contains("ulimit -n")) << outcome.err;
    }
    EXPECT_GT(refused, 0) << command;
  }
}

}  // namespace
}  // namespace stepscope::testing::goodput_fault_sweep_test
