// Tests that evaluation between the steps of training is told as its own time, from the profile to
// the first sentence and to the comparison of two runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "report/findings.h"
#include "report/lookup.h"
#include "report/phrase_format.h"
#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::evaluation_test {
namespace {

using testing::CpuTrace;

constexpr int64_t kMs = 1'000'000;

// A program of one operation that JAX calls `op_name`.
SampleBytes Program(std::string_view op_name) {
  const std::string named =
      ProtoOf([&](pbf_writer& w) { pbf_writer(w, 7).add_string(2, op_name); });
  return {HloProgram({SampleComputation(
      1, {SampleInstruction("dot.1", "dot", 1, SampleShape({8, 8}), {}, named)})})};
}

// A loop of JAX that marks no steps: `update` takes 10 ms, and behind every fifth of 20 come six
// calls of `other`, 30 ms each.
std::string JaxLoop(std::string_view update_op, std::string_view other, std::string_view other_op) {
  SampleXSpace file;
  SampleLine& stream = file.Plane("/device:GPU:0").Line(1, "Stream #1(Compute)");
  SamplePlane& programs = file.Plane("/host:metadata");
  const std::string called = fmt::format("jit_{}", other);
  programs.Metadata("jit_update(1)", {{"Hlo Proto", Program(update_op)}});
  programs.Metadata(called + "(2)", {{"Hlo Proto", Program(other_op)}});
  int64_t at = 0, run = 0;
  const auto execute = [&](const std::string& module, int64_t ms) {
    stream.Event("dot.1", at, ms * kMs,
                 {{"hlo_module", module}, {"hlo_op", "dot.1"}, {"run_id", ++run}});
    at += ms * kMs;
  };
  for (int step = 1; step <= 20; ++step) {
    execute("jit_update", 10);
    if (step % 5 == 0) {
      for (int batch = 0; batch < 6; ++batch) execute(called, 30);
    }
  }
  return file.Bytes();
}

std::string FirstSentences(const std::string& profile) {
  const auto answer = testing::AskAbout(profile, "host.xplane.pb");
  return answer ? answer->verdict.str() : answer.error().what;
}

TEST(Evaluation, OfJaxTheProgramThatComputesGradientsIsTheStep) {
  const std::string verdict = FirstSentences(
      JaxLoop("jit(update)/transpose(jvp())/dot_general", "evaluate", "jit(evaluate)/dot_general"));
  EXPECT_TRUE(verdict.contains("Step time is 10.0 ms (mean of 20 steps)")) << verdict;
  EXPECT_TRUE(verdict.starts_with(
      "Evaluation after every 5th step (4, 9, 14 and 19) takes 78.3% of the trace, in "
      "jit_evaluate."))
      << verdict;
}

TEST(Evaluation, WithoutGradientsTheProgramWithTheMostTimeIsTheStep) {
  const std::string verdict =
      FirstSentences(JaxLoop("jit(update)/dot_general", "decode", "jit(decode)/dot_general"));
  EXPECT_TRUE(verdict.contains("Step time is 30.0 ms (mean of 21 steps; 3 slow")) << verdict;
  EXPECT_FALSE(verdict.contains("Evaluation")) << verdict;
}

// A norm of the weights, or an optimizer behind several backward passes.
TEST(Evaluation, AProgramThatMultipliesNoMatricesIsNone) {
  const std::string verdict = FirstSentences(
      JaxLoop("jit(update)/transpose(jvp())/dot_general", "norm", "jit(norm)/reduce_sum"));
  EXPECT_FALSE(verdict.contains("Evaluation")) << verdict;
}

// Keras: calls of one function, of which those with gradients are steps. Behind the third of six
// steps of 100 ms come four calls without, 150 ms each.
std::string KerasLoop(int evaluations) {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& python = host.Line(1, "python");
  SampleLine& executor = host.Line(2, "tf_Compute");
  int64_t at = 0, id = 0;
  const auto call = [&](std::string_view function, int64_t ms, const std::string& op) {
    python.Event(fmt::format("EagerLocalExecute: __inference_{}", function), at, ms * kMs);
    python.Event("FunctionRun", at + 1, 2, {{"_r", 1}, {"id", ++id}});
    executor.Event("ExecutorState::Process", at + 3, ms * kMs - 5, {{"id", id}});
    executor.Event(op, at + 4, ms * kMs - 10);
    at += ms * kMs;
  };
  for (int step = 1; step <= 6; ++step) {
    call("one_step_57", 100, "StatefulPartitionedCall/gradient_tape/model/MatMul:MatMul");
    for (int e = 0; step == 3 && e < evaluations; ++e)
      call("one_step_73", 150, "model/dense/MatMul:MatMul");
  }
  return file.Bytes();
}

TEST(Evaluation, OfKerasIsToldBesideTheSteps) {
  const std::string verdict = FirstSentences(KerasLoop(4));
  EXPECT_TRUE(verdict.starts_with("Step time is 100 ms (mean of 6 steps)")) << verdict;
  EXPECT_TRUE(verdict.contains(
      "Evaluation between steps takes 600 ms in 1 run: 50.0% of the trace (4 calls of one_step)."))
      << verdict;
  EXPECT_FALSE(verdict.contains("the median step time")) << verdict;
}

TEST(Evaluation, AComparisonBeginsWithIt) {
  const auto before = testing::AskAbout(KerasLoop(0), "host.xplane.pb");
  const auto after = testing::AskAbout(KerasLoop(4), "host.xplane.pb");
  ASSERT_TRUE(before && after);
  const std::string verdict = Compare(*before, *after).verdict;
  EXPECT_TRUE(
      verdict.starts_with("Evaluation between steps: none before, 1 run and 600 ms after "
                          "(50.0% of the trace). "))
      << verdict;
}

// 12 steps of PyTorch, 10 ms each: two products forward, backward, optimizer. Behind steps 4 and 8
// two more passes forward, of 15 ms together, `product` twice in each; marked steps end behind
// them.
std::string TorchLoop(bool marked, std::string_view product, int first_with_more = 4,
                      bool stack = false, std::string_view around = "") {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  const auto add = [&](std::string_view name, double ms) {
    trace.Add("cpu_op", name, at, ms);
    at += ms;
  };
  for (int step = 1; step <= 12; ++step) {
    const double start = at;
    for (int i = 0; i < 2; ++i) add("aten::addmm", 2);
    for (int i = 0; i < 2; ++i) add("autograd::engine::evaluate_function: AddmmBackward0", 2.5);
    trace.Add("user_annotation", "Optimizer.step#SGD.step", at, 1);
    add("aten::add_", 1);
    if (step == first_with_more || step == 8) {
      if (stack) trace.Add("python_function", "run.py(12): validate", at, 15);
      if (!around.empty()) trace.Add("cpu_op", around, at, 15);
      for (int i = 0; i < 4; ++i) add(product, 3.75);
    }
    if (stack) trace.Add("python_function", "run.py(30): train", start, at - start);
    if (marked)
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, at - start);
  }
  return trace.End();
}

std::string Verdict(const std::string& trace) {
  const auto answer = testing::AskAbout(trace);
  return answer ? answer->verdict.str() : answer.error().what;
}

TEST(Evaluation, OfPyTorchForwardPassesThatTrainNothingAreNoPartOfSteps) {
  for (const bool marked : {true, false}) {
    const std::string verdict = Verdict(TorchLoop(marked, "aten::addmm"));
    EXPECT_TRUE(verdict.contains("Step time is 10.0 ms")) << verdict;
    EXPECT_TRUE(verdict.contains(" takes 20.0% of the trace.")) << verdict;
    EXPECT_FALSE(verdict.contains("the median step time")) << verdict;
  }
}

// It goes from the begin of a step to that of the next.
TEST(Evaluation, AReplayTellsWhatOfItsStepsIsEvaluation) {
  const auto answer = testing::AskAbout(TorchLoop(true, "aten::addmm", 4, true));
  ASSERT_TRUE(answer);
  const auto whatif = std::ranges::find(answer->reports, "whatif", &Report::analysis);
  ASSERT_NE(whatif, answer->reports.end());
  EXPECT_TRUE(whatif->headline.contains("2.50 ms of it evaluation between steps"))
      << whatif->headline;
}

// Two ranks with steps of 20 ms, which reduce in each; behind every third of 15 rank 0 evaluates
// for 60 ms, and rank 1 waits for it in the next one.
Result<ReportSet> OneEvaluates() {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  std::array<double, 2> at{1, 1};
  for (int step = 1; step <= 15; ++step) {
    const double done = std::max(at[0], at[1]) + 18;
    for (size_t rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[rank];
      const double start = at[rank];
      double& own = at[rank];
      const auto add = [&](std::string_view name, double ms) {
        trace.Add("cpu_op", name, own, ms);
        own += ms;
      };
      for (int i = 0; i < 2; ++i) add("aten::addmm", 4);
      for (int i = 0; i < 2; ++i) add("autograd::engine::evaluate_function: AddmmBackward0", 4);
      add("c10d::allreduce_", 0.1);
      trace.Add("user_annotation", "gloo:all_reduce", own, done - own, 2,
                R"("Input Dims":[[1000]],"Input type":["float"])");
      own = done;
      trace.Add("user_annotation", "Optimizer.step#SGD.step", own, 1);
      add("aten::add_", 1);
      trace.Add("python_function", "train.py(9): learn", start, own - start);
      if (rank == 0 && step % 3 == 0) {
        trace.Add("python_function", "exam.py(3): grade", own, 60);
        for (int i = 0; i < 8; ++i) add("aten::addmm", 7.5);
      }
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, own - start);
      own += 0.1;
    }
  }
  return testing::AskAboutRanks(ranks, {}, "node1");
}

TEST(Evaluation, OfOneRankThatOthersWaitForIsWhyItIsLate) {
  const auto answer = OneEvaluates();
  ASSERT_TRUE(answer);
  const auto findings = FindingsInOrder(*answer);
  ASSERT_FALSE(findings.empty()) << answer->verdict;
  const Finding& first = *findings[0];
  EXPECT_TRUE(
      first.message.starts_with("Rank 0 is a straggler: "
                                "evaluation between steps (grade (exam.py:3))"))
      << testing::AllSaid(*answer);
  EXPECT_NEAR(static_cast<double>(first.per_step), 16e6, 1e6);  // 4 times 60 ms in 15 steps
  EXPECT_TRUE(answer->verdict.contains("10.0 ms of evaluation per step between them"))
      << answer->verdict;
  const std::string whatif = FindReport(*answer, "whatif")->headline.str();
  EXPECT_TRUE(whatif.contains("the change worth most, 'python grade: gone', saves ")) << whatif;
}

// Which runs operators to see what they return.
TEST(Evaluation, OfPyTorchACompilerIsNone) {
  const std::string verdict =
      Verdict(TorchLoop(true, "aten::addmm", 4, true, "fx_codegen_and_compile (dynamo_timed)"));
  EXPECT_FALSE(verdict.contains("valuation")) << verdict;
}

TEST(Evaluation, OfPyTorchItsFunctionItsStepsAndItsCostAreTold) {
  const auto answer = testing::AskAbout(TorchLoop(true, "aten::addmm", 4, true));
  ASSERT_TRUE(answer);
  const auto findings = FindingsInOrder(*answer);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0]->message,
            "Evaluation after steps 4 and 8 takes 20.0% of the trace, in validate (run.py:12).");
  EXPECT_EQ(findings[0]->because,
            "30.0 ms in 2 runs: forward passes without training; 2.50 ms per step, which step time "
            "leaves out");
  EXPECT_EQ(findings[0]->per_step, 5 * kMs / 2);
  EXPECT_EQ(findings[0]->severity, Severity::kMedium);
}

// Its calls are in the sums of operators, and in no step.
TEST(Evaluation, OfPyTorchIsNoChangeOfTheModelsCalls) {
  const auto before = testing::AskAbout(TorchLoop(true, "aten::lerp_", 20));
  const auto after = testing::AskAbout(TorchLoop(true, "aten::addmm", 4, true));
  ASSERT_TRUE(before && after);
  const ReportSet both = Compare(*before, *after);
  EXPECT_TRUE(
      both.verdict.contains("Evaluation between steps takes 2.50 ms more per step: "
                            "validate (run.py:12) after steps 4 and 8."))
      << both.verdict;
  EXPECT_FALSE(both.verdict.contains(" No change")) << both.verdict;
  for (const Finding& finding : both.reports[0].findings)
    EXPECT_FALSE(finding.message.contains("times per step")) << finding.message;
  const std::string back = Compare(*after, *before).verdict;
  EXPECT_FALSE(back.contains("times per step")) << back;
}

// 20 steps of 10 ms with an evaluation of 30 ms behind every fifth; a checkpoint of 40 ms behind
// every third is before that of step 15, and counts for its step.
TEST(Evaluation, OfPyTorchACheckpointBeforeOneIsOfItsStep) {
  CpuTrace trace(0, "[]", 1, 1);
  double at = 0;
  const auto add = [&](std::string_view name, double ms) {
    trace.Add("cpu_op", name, at, ms);
    at += ms;
  };
  for (int step = 1; step <= 20; ++step) {
    const double start = at;
    for (int i = 0; i < 2; ++i) add("aten::addmm", 2);
    for (int i = 0; i < 2; ++i) add("autograd::engine::evaluate_function: AddmmBackward0", 2.5);
    trace.Add("user_annotation", "Optimizer.step#SGD.step", at, 1);
    add("aten::add_", 1);
    if (step % 3 == 0) at += 40;
    for (int i = 0; step % 5 == 0 && i < 4; ++i) add("aten::addmm", 7.5);
    trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, at - start);
  }
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  const auto findings = FindingsInOrder(*answer);
  const auto evaluation = std::ranges::find_if(
      findings, [](const Finding* f) { return f->message.str().starts_with("Evaluation"); });
  ASSERT_NE(evaluation, findings.end());
  EXPECT_TRUE((*evaluation)->because.str().starts_with("120 ms in 4 runs"))
      << (*evaluation)->because;
  EXPECT_TRUE(answer->verdict.str().contains("very 3rd step (3, 6, 9")) << answer->verdict;
}

// What runs once may be anything, and an average of weights multiplies no matrices.
TEST(Evaluation, OfPyTorchOneStretchOrOneWithoutProductsIsNone) {
  for (const std::string& trace :
       {TorchLoop(true, "aten::addmm", 8), TorchLoop(true, "aten::lerp_")}) {
    const std::string verdict = Verdict(trace);
    EXPECT_FALSE(verdict.contains("Forward passes")) << verdict;
    EXPECT_TRUE(verdict.contains("the median step time")) << verdict;
  }
}

}  // namespace
}  // namespace stepscope::evaluation_test
