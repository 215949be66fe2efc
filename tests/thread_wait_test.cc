// Tests that a function which waits for another thread is told with what that thread runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::thread_wait_test {
namespace {

using testing::AllSaid;
using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kTraining = 1, kOther = 5;
constexpr double kStep = 60, kLookup = 30;  // ms

// Ten steps of one rank, in each of which `lookup` takes half. Another thread sleeps in
// `compact_index`, and lets a lock go `late` ms after each 30 ms that `lookup` takes; every `often`
// ms besides, 0: never.
std::string Said(double late, double often = 0) {
  CpuTrace trace(0);
  const auto let_go = [&](double at) {
    trace.Add("python_function", "<built-in method __exit__ of _thread.lock object at 0x7f01>", at,
              0.01, kOther);
  };
  trace.Add("python_function", "index.py(48): compact_index", 0, 10 * kStep, kOther);
  for (int step = 0; step < 10; ++step) {
    const double at = kStep * step;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step + 1), at, kStep, kTraining);
    trace.Add("python_function", "train.py(9): train", at, kStep, kTraining);
    trace.Add("python_function", "train.py(50): lookup", at, kLookup, kTraining);
    trace.Add("cpu_op", "aten::linear", at + kLookup, 29, kTraining);
    for (double t = often; often > 0 && t < kLookup - 2; t += often) let_go(at + t);
    trace.Add("python_function", "<built-in function sleep>", at - 10, 39.9 + late, kOther);
    let_go(at + kLookup - 0.05 + late);
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  return answer ? AllSaid(*answer) : "";
}

TEST(ThreadWait, WithALockIsKnownByWhoLetsItGo) {
  const std::string said = Said(0);
  EXPECT_TRUE(
      said.contains("lookup (train.py:50) waits 50.0% of step time for another thread, which "
                    "runs compact_index (index.py:48"))
      << said;
}

TEST(ThreadWait, IsNoneWhereLocksAreLetGoAtOtherTimes) {
  EXPECT_FALSE(Said(7).contains("for another thread"));
  EXPECT_FALSE(Said(0, 3).contains("for another thread")) << "all the time";
}

}  // namespace
}  // namespace stepscope::thread_wait_test
