// Tests that a function which waits for another thread is told with what that thread runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

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

// Rank 1 of two waits in `lookup` for what a thread computes, `ms` in a step; both ranks reduce at
// the end of each.
std::string SaidOfRanks(const std::function<double(int step)>& ms) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    double start = 1;
    for (int step = 1; step <= 12; ++step) {
      const double wait = ms(step), own = rank == 1 ? wait : 1, length = 40 + wait;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, length);
      trace.Add("python_function", "train.py(9): train", start, length, kTraining);
      trace.Add("python_function", "train.py(50): lookup", start, own, kTraining);
      if (rank == 1) {
        trace.Add("python_function", "<built-in method acquire of _thread.lock object at 0x7f01>",
                  start + 0.1, own - 0.2, kTraining);
        trace.Add("python_function", "index.py(48): score_rows", start + 0.2, own - 0.4, kOther);
        trace.Add("python_function", "threading.py(361): notify", start + own - 0.2, 0.05, kOther);
      }
      trace.Add("cpu_op", "aten::linear", start + own, 20);
      trace.Add("cpu_op", "c10d::allreduce_", start + 20.5 + own, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", start + 20.6 + own, length - 20.7 - own, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      start += length;
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  return answer ? AllSaid(*answer) : "";
}

TEST(ThreadWait, ThatGrewIsToldOfTheStepsSinceThenWithItsPrice) {
  const std::string said = SaidOfRanks([](int step) { return step < 6 ? 4.0 : 64.0; });
  EXPECT_TRUE(said.starts_with(
      "On rank 1, lookup (train.py:50, in lock.acquire) waits 61.3% of step time since step 6 for "
      "another thread, which runs score_rows (index.py:48): 63.8 ms per step."))
      << said;
}

}  // namespace
}  // namespace stepscope::thread_wait_test
