// Tests that evaluation between the steps of training is told as its own time, from the profile to
// the first sentence and to the comparison of two runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "stepscope/compare.h"
#include "tests/front_door.h"
#include "tests/support/sample_hlo.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::evaluation_test {
namespace {

constexpr int64_t kMs = 1'000'000;

// A program of one operation that JAX calls `op_name`.
SampleBytes Program(std::string_view op_name) {
  const std::string named = ProtoOf([&](pbf_writer& w) { pbf_writer(w, 7).add_string(2, op_name); });
  return {HloProgram(
      {HloComputation(1, {HloInstruction("dot.1", "dot", 1, HloShape({8, 8}), {}, named)})})};
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
  return answer ? answer->verdict : answer.error().what;
}

TEST(Evaluation, OfJaxTheProgramThatComputesGradientsIsTheStep) {
  const std::string verdict = FirstSentences(JaxLoop(
      "jit(update)/transpose(jvp())/dot_general", "evaluate", "jit(evaluate)/dot_general"));
  EXPECT_TRUE(verdict.starts_with("Step time is 10.0 ms (median of 20 steps)")) << verdict;
  EXPECT_TRUE(verdict.contains("Evaluation between steps takes 720 ms in 4 runs: 78.3% of the trace "
                               "(24 calls of jit_evaluate)."))
      << verdict;
}

TEST(Evaluation, WithoutGradientsTheProgramWithTheMostTimeIsTheStep) {
  const std::string verdict =
      FirstSentences(JaxLoop("jit(update)/dot_general", "decode", "jit(decode)/dot_general"));
  EXPECT_TRUE(verdict.starts_with("Step time is 30.0 ms (median of 24 steps")) << verdict;
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
  EXPECT_TRUE(verdict.starts_with("Step time is 100 ms (median of 6 steps)")) << verdict;
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
  EXPECT_TRUE(verdict.starts_with("Evaluation between steps: none before, 1 run and 600 ms after "
                                  "(50.0% of the trace). "))
      << verdict;
}

}  // namespace
}  // namespace stepscope::evaluation_test
