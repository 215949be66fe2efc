// Tests what is said of costs that all ranks have in all steps: loops over short operators, Python
// within operators, anomaly detection, buffers that are broadcast; and of one that grows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::steady_cost_test {
namespace {

using testing::Ask;
using testing::CpuTrace;
using testing::ScratchFolder;

constexpr int kFirst = 2, kLast = 15;  // steps

// `each`: additions of 10 us per step, in the function, and the Python between them.
std::string SaidOfLoop(int each) {
  CpuTrace trace(0, "[]", 1, 1);
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 100 * step, length = 0.02 * each;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
    trace.Add("python_function", "train.py(75): train_step", at, 99);
    trace.Add("python_function", "cell.py(21): walk_along", at + 1, length);
    for (int i = 0; i < each; ++i) trace.Add("cpu_op", "aten::add", at + 1.005 + 0.02 * i, 0.01);
    trace.Add("cpu_op", "aten::linear", at + 1.1 + length, 96 - length);
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(SteadyCost, AFunctionThatLoopsOverShortOperatorsIsNamedWithAllItTakes) {
  const std::string said = SaidOfLoop(800);
  EXPECT_TRUE(said.contains("walk_along (cell.py:21) runs 800 short operators per step: 16.2%"))
      << said;
  EXPECT_TRUE(said.contains("try: replace its loop by operations on whole tensors")) << said;
  EXPECT_FALSE(SaidOfLoop(40).contains("short operators")) << SaidOfLoop(40);
}

// 400 additions of 10 us per step, each with a gradient of 20 us.
TEST(SteadyCost, ALoopHasWhatItsOperatorsTakeInTheBackwardPass) {
  CpuTrace trace(0, "[]", 1, 1);
  int sequence = 0;
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 100 * step;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
    trace.Add("python_function", "train.py(75): train_step", at, 99);
    trace.Add("python_function", "cell.py(21): walk_along", at + 1, 12);
    const int first = sequence;
    for (int i = 0; i < 400; ++i)
      trace.Add("cpu_op", "aten::add", at + 1.005 + 0.03 * i, 0.01, 1,
                fmt::format(R"("Sequence number":{})", sequence++));
    trace.Add("cpu_op", "aten::linear", at + 14, 60);
    for (int i = 0; i < 400; ++i)
      trace.Add("cpu_op", "autograd::engine::evaluate_function: AddBackward0", at + 80 + 0.02 * i,
                0.02, 3, fmt::format(R"("Sequence number":{},"Fwd thread id":1)", first + 399 - i));
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  ASSERT_TRUE(answer);
  const std::string said = testing::AllSaid(*answer);
  EXPECT_TRUE(said.contains("walk_along (cell.py:21) runs 400 short operators per step: 20.2%"))
      << said;
  EXPECT_TRUE(said.contains("; 8.00 ms more for them in the backward pass")) << said;
}

// Of each step of 99 ms `time` ms in this operator, on the second rank half of that.
std::string SaidOfOperator(std::string_view name, double time) {
  std::vector<CpuTrace> ranks{CpuTrace(0), CpuTrace(1)};
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 100 * step;
    for (CpuTrace& trace : ranks) {
      const double own = &trace == ranks.data() ? time : time / 2;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
      trace.Add("cpu_op", "aten::linear", at + 1, 85 - own);
      trace.Add("cpu_op", name, at + 86 - own, own);
      trace.Add("user_annotation", "gloo:all_reduce", at + 87, 10, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
    }
  }
  const auto answer = testing::AskAboutRanks(ranks);
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(SteadyCost, AnOperatorThatHardlyAnyModelNeedsForLongIsNamed) {
  const std::string said = SaidOfOperator("aten::sort", 40);
  EXPECT_TRUE(said.starts_with("30.3% of step time is in aten::sort, on all ranks.")) << said;
  EXPECT_TRUE(said.contains("try: find out whether each step needs it")) << said;
  EXPECT_FALSE(SaidOfOperator("aten::mm", 40).contains("aten::mm, on all"));
  EXPECT_FALSE(SaidOfOperator("aten::sort", 20).contains("aten::sort, on all")) << "10% of one";
}

// `looks`: of the 20 functions of each backward pass, behind which the engine looks for NaN.
std::string SaidOfBackward(int looks) {
  CpuTrace trace(0, "[]", 1, 1);
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 100 * step;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
    trace.Add("cpu_op", "aten::linear", at + 1, 50);
    for (int i = 0; i < 20; ++i) {
      const double begin = at + 52 + 2 * i;
      trace.Add("cpu_op", "autograd::engine::evaluate_function: MulBackward0", begin, 1.9);
      trace.Add("cpu_op", "MulBackward0", begin + 0.01, 0.8);
      if (i >= looks) continue;
      trace.Add("cpu_op", "aten::isnan", begin + 0.9, 0.6);
      trace.Add("cpu_op", "aten::_is_any_true", begin + 1.55, 0.3);
      trace.Add("cpu_op", "aten::any", begin + 1.56, 0.2);
    }
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(SteadyCost, AnomalyDetectionIsToldByWhatTheEngineRunsBehindGradients) {
  const std::string said = SaidOfBackward(20);
  EXPECT_TRUE(said.starts_with("Anomaly detection looks for NaN in all gradients: 18.0 ms of"))
      << said;
  EXPECT_TRUE(said.contains("torch.autograd.set_detect_anomaly(False)")) << said;
  EXPECT_FALSE(SaidOfBackward(3).contains("Anomaly")) << SaidOfBackward(3);
}

// In each forward pass 40 ms of broadcasts, or 4; the gradients take 10.
std::string SaidOfBuffers(double broadcasts) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = kFirst; step <= kLast; ++step) {
      const double at = 150 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 149);
      trace.Add("user_annotation", "DistributedDataParallel.forward", at + 1, 80);
      trace.Add("cpu_op", "c10d::broadcast_", at + 1.1, 0.05);
      trace.Add("user_annotation", "gloo:broadcast", at + 1.2, broadcasts, 2,
                R"("Input Dims":[[5000000]],"Input type":["float"])");
      trace.Add("cpu_op", "aten::linear", at + 2 + broadcasts, 30);
      trace.Add("cpu_op", "aten::addmm", at + 82, 20);
      trace.Add("cpu_op", "c10d::allreduce_", at + 103, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 103.1, 10, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(SteadyCost, BuffersThatAreBroadcastInEachForwardPassAreTold) {
  const std::string said = SaidOfBuffers(40);
  EXPECT_TRUE(
      said.contains("DistributedDataParallel broadcasts buffers in each forward pass: 20.0 MB, "
                    "40.0 ms per pass."))
      << said;
  EXPECT_TRUE(said.contains("try: turn it off (broadcast_buffers=False)")) << said;
  EXPECT_FALSE(SaidOfBuffers(4).contains("buffers in each")) << SaidOfBuffers(4);
}

// A torch.autograd.Function on all ranks, of so many ms of operators.
std::string VerdictOfFunction(double operators) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (int rank = 0; rank < 2; ++rank) {
    CpuTrace trace(rank);
    for (int step = kFirst; step <= kLast; ++step) {
      const double at = 100 * step;
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
      trace.Add("python_function", "main.py(32): shear", at, 99);
      trace.Add("cpu_op", "aten::linear", at + 1, 40);
      trace.Add("cpu_op", "CarriedHinge", at + 42, 30);
      trace.Add("python_function", "loss.py(9): forward", at + 42.1, 29.8);
      trace.Add("cpu_op", "aten::where", at + 42.2, operators);
      trace.Add("cpu_op", "c10d::allreduce_", at + 75, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", at + 75.1, 10, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    paths.push_back(folder.Write(fmt::format("rank{}.json", rank), trace.End()));
  }
  const auto answer = Ask(paths);
  return answer ? answer->verdict.str() : "no answer";
}

TEST(SteadyCost, PythonWithinAnOperatorOfAllRanksIsNamed) {
  const std::string said = VerdictOfFunction(1);
  EXPECT_TRUE(said.contains("per step on all ranks, in Python within an operator.")) << said;
  EXPECT_TRUE(said.contains("forward (loss.py:9")) << said;
  EXPECT_FALSE(said.contains("stands out")) << said;
  EXPECT_FALSE(VerdictOfFunction(25).contains("in Python")) << VerdictOfFunction(25);
}

// `on_double`: of 80 ms of operators.
std::string SaidOfTypes(double on_double) {
  CpuTrace trace(0, "[]", 1, 1);
  for (int step = kFirst; step <= kLast; ++step) {
    const double at = 100 * step;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, 99);
    trace.Add("python_function", "train.py(75): train_step", at, 99);
    trace.Add("python_function", "stern.py(12): forward", at + 1, on_double + 0.1);
    trace.Add("cpu_op", "aten::addmm", at + 1.05, on_double, 1,
              R"("Input Dims":[[8],[8,8],[8,8]],"Input type":["double","double","double"])");
    trace.Add("cpu_op", "aten::linear", at + 2 + on_double, 80 - on_double, 1,
              R"("Input Dims":[[8,8],[8,8]],"Input type":["float","float"])");
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  return answer ? testing::AllSaid(*answer) : "no answer";
}

TEST(SteadyCost, WorkOnDoubleBesideWorkOnFloatIsTold) {
  const std::string said = SaidOfTypes(30);
  EXPECT_TRUE(
      said.contains("30.3% of step time is in operators on double, mostly aten::addmm, in "
                    "forward (stern.py:12"))
      << said;
  EXPECT_TRUE(said.contains("try: compute it in float, as the rest")) << said;
  EXPECT_FALSE(SaidOfTypes(3).contains("on double")) << SaidOfTypes(3);
  EXPECT_FALSE(SaidOfTypes(79).contains("on double")) << "all of it";
}

// It keeps a list and walks through all of it, since step 6.
TEST(SteadyCost, AFunctionThatTakesLongerAndLongerIsNoChangeAtAStep) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  for (int step = 1; step <= 16; ++step) {
    const double takes = step >= 6 ? 4.0 * (step - 5) : 0.05, length = 60 + takes;
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, length - 0.1);
    trace.Add("python_function", "train.py(75): train_step", at, length - 0.05);
    trace.Add("cpu_op", "aten::linear", at + 1, 50);
    trace.Add("python_function", "meadow.py(17): share_in_order", at + 52, takes);
    trace.Add("cpu_op", "aten::add_", at + 52.5 + takes, 5);
    at += length;
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("rank0.json", trace.End())});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.starts_with("share_in_order (meadow.py:17) grows by "))
      << answer->verdict;
}

}  // namespace
}  // namespace stepscope::steady_cost_test
