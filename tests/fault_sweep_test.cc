// Lets each call of one kind fail in turn, while the program answers about traces, exports them and
// writes a page: after each there is a clear error or a right answer, and nothing unfinished is
// left.
#include "tests/fault_sweep.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/front_door.h"
#include "tests/paths.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"
#include "tests/shell.h"

namespace stepscope::testing::fault_sweep_test {
namespace {

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

  Sweep SweepOf(const std::string& words) const { return {.program = Binary(), .words = words}; }

  void ExpectToldEachTime(const std::string& words) const {
    const Sweep sweep = SweepOf(words);
    for (const char* kind : {"alloc", "open", "read", "write", "sync", "rename"}) {
      for (const Fault& fault : sweep.Faults(kind)) {
        SCOPED_TRACE(NameOf(fault) + " of " + words);
        const ScratchFolder folder;
        ExpectAnswerOrError(sweep.Run(folder.path(), fault));
        ExpectNoTemporary(folder.path());
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
    const Sweep sweep = SweepOf(command);
    for (const Fault& fault : sweep.Faults(kind)) {
      if (fault.stays) continue;
      const Outcome outcome = sweep.Run(folder_.path(), fault);
      EXPECT_TRUE(outcome.code == 2 || outcome.out == right || SaysWhatItLacks(outcome.out))
          << NameOf(fault) << " " << outcome.err;
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
