// Tests that a late rank costs no more than the job would save if it were in time, and that what is
// said of the steps in which it is late does not contradict since when the job is slower.
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
#include "tests/support/ask_ranks.h"
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

// ms before the kernel of a step, and of it.
struct Part {
  double gap, kernel;
};

// A step each; all ranks reduce once the last of them has computed.
template <size_t kSteps>
Result<ReportSet> JobOfParts(const std::array<std::array<Part, 3>, kSteps>& steps) {
  std::array ranks = {CpuTrace(0, "[]", 1, 3), CpuTrace(1, "[]", 1, 3), CpuTrace(2, "[]", 1, 3)};
  double start = 0;
  for (int number = 1; const auto& parts : steps) {
    double last = 0;
    for (const Part& part : parts) last = std::max(last, part.gap + part.kernel);
    const double end = start + last + 50;
    for (size_t r = 0; r < ranks.size(); ++r) {
      const double computes = start + parts[r].gap, reduces = computes + parts[r].kernel;
      const auto args = [&](int stream, int id) {
        return fmt::format(R"("device":{},"stream":{},"correlation":{})", r, stream, id);
      };
      const int id = 2 * number;
      CpuTrace& trace = ranks[r];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", number), start, end + 30 - start);
      trace.Add("cuda_runtime", "cudaLaunchKernel", computes - 5, 2, 1, args(7, id));
      trace.Add("kernel", "gemm", computes, parts[r].kernel, 7, args(7, id));
      trace.Add("cuda_runtime", "cudaLaunchKernel", computes - 2, 1, 1, args(20, id + 1));
      trace.Add("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", reduces, end - reduces, 20,
                args(20, id + 1) +
                    R"(,"Collective name":"allreduce","Process Group Name":"0","Group size":3)");
    }
    start = end + 40;
    ++number;
  }
  return testing::AskAboutRanks(ranks);
}

// Rank 0 is a little late in steps 2 to 4, and in kernels and before them since step 5.
TEST(LateSteps, OfARankThatWasLateBeforeAgreeWithTheChange) {
  const auto answer =
      JobOfParts(std::to_array<std::array<Part, 3>>({{{{30, 203}, {26, 213}, {47, 210}}},
                                                     {{{64, 239}, {37, 202}, {23, 201}}},
                                                     {{{61, 229}, {21, 204}, {46, 221}}},
                                                     {{{59, 220}, {39, 204}, {33, 218}}},
                                                     {{{163, 347}, {46, 228}, {50, 221}}},
                                                     {{{189, 355}, {50, 213}, {23, 225}}},
                                                     {{{193, 383}, {36, 229}, {22, 223}}},
                                                     {{{154, 338}, {23, 222}, {23, 208}}},
                                                     {{{154, 335}, {20, 215}, {40, 201}}}}));
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(said.contains("longer since step 5")) << said;
  EXPECT_TRUE(said.contains("% of it since step 5)")) << said;
  EXPECT_FALSE(said.contains("most of it in 8 of 9 steps")) << said;
}

}  // namespace
}  // namespace stepscope::late_cost_test
