// Tests that a late rank costs no more than the job would save if it were in time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "report/findings.h"
#include "tests/front_door.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::late_cost_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

struct Job {
  double saved = 0;  // share of its time, if rank 1 did not log
  std::string message;
  double share = 0;  // that the leading finding costs
};

// Two ranks collate a batch for about 1 ms and compute for 10 to 12 ms, by chance, then reduce.
// Rank 1 also logs, for as many ms as `log` says of the step (1 to 30). The other waits.
Job JobThatLogs(const std::function<double(int)>& log) {
  std::array<CpuTrace, 2> ranks = {CpuTrace(0), CpuTrace(1)};
  Random chance(1, 0);
  double at = 0, without = 0;
  for (int step = 1; step <= 30; ++step) {
    std::array<double, 2> collate, compute;
    for (double& ms : collate) ms = 0.8 + 0.4 * chance.Fraction();
    for (double& ms : compute) ms = 10 + 2 * chance.Fraction();
    const auto arrives = [&](size_t r, double logged) { return collate[r] + logged + compute[r]; };
    const double end = at + std::max(arrives(0, 0), arrives(1, log(step))) + 2;
    without += std::max(arrives(0, 0), arrives(1, 0)) + 2;
    for (size_t r = 0; r < ranks.size(); ++r) {
      const double logged = r == 1 ? log(step) : 0, computes = at + collate[r] + logged;
      CpuTrace& trace = ranks[r];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      trace.Add("python_function", "train.py(9): train", at, end - at);
      trace.Add("python_function", "data.py(5): collate", at, collate[r]);
      if (logged > 0) trace.Add("python_function", "train.py(20): log", at + collate[r], logged);
      trace.Add("cpu_op", "aten::linear", computes, compute[r]);
      const double reduces = computes + compute[r];
      trace.Add("user_annotation", "gloo:all_reduce", reduces, end - reduces, 2);
    }
    at = end;
  }
  const ScratchFolder folder;
  const auto answer =
      Ask({folder.Write("rank0.json", ranks[0].End()), folder.Write("rank1.json", ranks[1].End())});
  if (!answer) return {};
  const Finding& leading = *FindingsInOrder(*answer).front();
  return {(at - without) / at, leading.message, leading.share};
}

TEST(LateCost, OfLoggingInEveryFifthStepIsWhatItTakesInThese) {
  const Job job = JobThatLogs([](int step) { return step % 5 == 0 ? 12.0 : 0; });
  EXPECT_TRUE(job.message.contains("in every 5th step")) << job.message;
  EXPECT_TRUE(job.message.contains("log (train.py:20)")) << job.message;
  EXPECT_GE(job.share, job.saved);
  EXPECT_LE(job.share, 1.05 * job.saved);
}

// More than what is saved: by chance the other rank would be last in some steps.
TEST(LateCost, OfLoggingInEachStepIsAtMostWhatTheRankSpendsOnIt) {
  const Job job = JobThatLogs([](int) { return 2.0; });
  EXPECT_TRUE(job.message.contains("Rank 1")) << job.message;
  EXPECT_TRUE(job.message.contains("log (train.py:20)")) << job.message;
  EXPECT_GE(job.share, job.saved);
  EXPECT_LE(job.share, 2.0 / 15);
}

}  // namespace
}  // namespace stepscope::late_cost_test
