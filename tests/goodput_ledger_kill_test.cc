// Kills imports and compactions at random moments and fills the disk; repeating them must give the
// same result, without duplicates or losses.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_report.h"
#include "stepscope/write.h"
#include "tests/ledger.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::goodput_ledger_kill_test {
namespace {

using goodput::Event;

constexpr int64_t kSteps = 60'000;

class LedgerKillTest : public ::testing::Test {
 protected:
  LedgerKillTest() {
    std::string lines = "{\"job_name\": \"j\", \"job_start_time\": 1780000000}\n";
    for (int64_t s = 0; s < kSteps; ++s) {
      lines += fmt::format("{{\"job_name\": \"j\", \"step_count\": {}, \"step_start_time\": {}}}\n",
                           s, 1780000000 + s);
    }
    file_ = folder_.Write("events.jsonl", lines);
  }

  // Runs the binary with these arguments and kills it after so long, if it lives; whether it did.
  bool RunAndKill(const std::vector<std::string>& arguments, int64_t microseconds) {
    const pid_t child = fork();
    if (child == 0) Exec(arguments);
    usleep(static_cast<useconds_t>(microseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  // The exit code, with files limited to so many bytes.
  int RunWithin(const std::vector<std::string>& arguments, rlim_t bytes) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      Exec(arguments);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::vector<Event> EventsInStore() const {
    if (!std::filesystem::exists(store_)) return {};
    goodput::Notes note_counts;
    std::vector<Event> events = EventsIn(store_, "j", &note_counts);
    EXPECT_TRUE(note_counts.List().empty());
    return events;
  }

  const ScratchFolder folder_;
  const std::string store_ = folder_.path() + "/ledger";
  std::string file_;

 private:
  [[noreturn]] static void Exec(const std::vector<std::string>& arguments) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    ExecStepscope(arguments);
  }
};

TEST_F(LedgerKillTest, KilledImportCanBeRepeated) {
  std::mt19937 random(20260131);
  size_t killed = 0, had = 0;
  for (int round = 0; round < 30; ++round) {
    const int64_t after = std::uniform_int_distribution<int64_t>(0, 60'000)(random);
    killed += RunAndKill({"goodput", "import", file_, "--store", store_}, after) ? 1 : 0;
    const size_t has = EventsInStore().size();
    EXPECT_GE(has, had);  // what was read once stays
    had = has;
  }
  EXPECT_GT(killed, 5u);
  const auto last = GoodputImport(store_, {file_});
  ASSERT_TRUE(last) << last.error().what;
  EXPECT_EQ(EventsInStore(), EventsOf(file_));
}

TEST_F(LedgerKillTest, KilledCompactionCanBeRepeated) {
  ASSERT_TRUE(GoodputImport(store_, {file_}));
  const auto numbers = [&] {
    auto answer = GoodputReport({.store = store_});
    if (!answer) return "failed: " + answer.error().what;
    answer->run = {};
    answer->reports.at(0).notes.clear();
    return ToJson(*answer);
  };
  const std::string before = numbers();
  std::mt19937 random(20260201);
  for (int round = 0; round < 15; ++round) {
    const int64_t after = std::uniform_int_distribution<int64_t>(0, 40'000)(random);
    RunAndKill({"goodput", "compact", "--store", store_, "--keep-raw", "0s"}, after);
    EXPECT_EQ(numbers(), before) << round;
  }
  ASSERT_TRUE(GoodputCompact({.store = store_}));
  EXPECT_EQ(numbers(), before);
  EXPECT_TRUE(EventsInStore().empty());
}

// A file may not become as large as a segment is: no segment can be made.
TEST_F(LedgerKillTest, FullDiskLeavesNothingPartial) {
  EXPECT_EQ(RunWithin({"goodput", "import", file_, "--store", store_}, 1 << 20), 2);
  EXPECT_TRUE(EventsInStore().empty());
  ASSERT_TRUE(GoodputImport(store_, {file_}));
  EXPECT_EQ(EventsInStore(), EventsOf(file_));
}

}  // namespace
}  // namespace stepscope::testing::goodput_ledger_kill_test
