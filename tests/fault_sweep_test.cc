// Lets each call of one kind fail in turn, while the program answers, exports, writes a page and
// imports: after each there is a clear error or a right answer, and nothing unfinished is left.
//
// About five of each kind; with STEPSCOPE_LONG=1 all of them, at most 2,000 of allocations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::fault_sweep_test {
namespace {

bool IsLong() { return std::getenv("STEPSCOPE_LONG") != nullptr; }

struct Sweep {
  std::string kind;     // as fault_shim.cc names it
  std::string command;  // OUT: a folder, new each time

  Outcome Run(const std::string& out, int64_t at, bool stays, const std::string& count = "") const {
    std::string line = command;
    for (size_t found = 0; (found = line.find("OUT")) != line.npos;) line.replace(found, 3, out);
    const std::string environment = fmt::format(
        "FAULT_KIND={} FAULT_AT={} {} {} LD_PRELOAD={}", kind, at, stays ? "FAULT_STAYS=1" : "",
        count.empty() ? "" : "FAULT_COUNT=" + count, FaultShim());
    return Shell(fmt::format("timeout -s KILL 60 env {} {} {}", environment, Binary(), line));
  }

  // How many calls there are without a fault.
  int64_t Count() const {
    const ScratchFolder folder;
    const Outcome outcome = Run(folder.path(), 0, false, folder.path() + "/count");
    EXPECT_EQ(outcome.code, 0) << command << ": " << outcome.err;
    const std::string count = Content(folder.path() + "/count");
    return count.empty() ? 0 : std::stoll(count);
  }

  std::vector<int64_t> Which() const {
    const int64_t all = Count(), most = IsLong() ? 2000 : 5;
    std::vector<int64_t> which;
    const int64_t step = std::max<int64_t>(1, all / most);
    for (int64_t at = 1; at <= all; at += step) which.push_back(at);
    return which;
  }
};

// Whether an answer says that it is not of everything: a file with a problem.
bool SaysWhatItLacks(const std::string& json) {
  const auto answer = nlohmann::json::parse(json, nullptr, false);
  if (answer.is_discarded()) return false;
  for (const auto& file : answer["run"]["files"]) {
    if (!file.value("problem", "").empty()) return true;
  }
  return false;
}

class FaultSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "not under a sanitizer: both would be malloc()";
    ASSERT_EQ(Stepscope("demo " + job_ + " --ranks 2 --steps 3 --layers 1").code, 0);
  }

  void ExpectTold(const Sweep& sweep, int64_t at, bool stays) const {
    SCOPED_TRACE(fmt::format("{} {}{} of {}", sweep.kind, at, stays ? " and all after it" : "",
                             sweep.command));
    const ScratchFolder folder;
    const Outcome outcome = sweep.Run(folder.path(), at, stays);
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << outcome.code << outcome.err;
    if (outcome.code == 2) {
      EXPECT_TRUE(outcome.err.starts_with("stepscope: ")) << outcome.err;
      EXPECT_FALSE(outcome.err.contains("report this")) << outcome.err;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      EXPECT_FALSE(entry.path().string().contains(".partial")) << entry.path();
  }

  void ExpectToldEachTime(const std::string& command) const {
    for (const char* kind : {"alloc", "open", "read", "write", "sync", "rename"}) {
      const Sweep sweep{kind, command};
      for (const int64_t at : sweep.Which()) {
        for (const bool stays : {false, true}) ExpectTold(sweep, at, stays);
      }
    }
  }

  ScratchFolder folder_;
  std::string job_ = folder_.path() + "/job";
};

TEST_F(FaultSweep, AnAnswerIsRightOrSaysWhatItLacks) {
  const std::string command = "analyze " + job_ + " --format json";
  const std::string right = Stepscope(command).out;
  for (const char* kind : {"alloc", "open", "read"}) {
    const Sweep sweep{kind, command};
    for (const int64_t at : sweep.Which()) {
      const Outcome outcome = sweep.Run(folder_.path(), at, false);
      EXPECT_TRUE(outcome.code == 2 || outcome.out == right || SaysWhatItLacks(outcome.out))
          << kind << " " << at << " " << outcome.err;
    }
  }
}

TEST_F(FaultSweep, Answers) { ExpectToldEachTime("analyze " + job_ + " -o OUT/answer.json"); }
TEST_F(FaultSweep, Exports) { ExpectToldEachTime("export " + job_ + " -o OUT/export --counters"); }
TEST_F(FaultSweep, Pages) { ExpectToldEachTime("report " + job_ + " -o OUT/report.html"); }
TEST_F(FaultSweep, Copies) { ExpectToldEachTime("redact " + job_ + " -o OUT/copy"); }
TEST_F(FaultSweep, Demos) { ExpectToldEachTime("demo OUT/demo --ranks 2 --steps 2 --layers 1"); }

}  // namespace
}  // namespace stepscope::testing::fault_sweep_test
