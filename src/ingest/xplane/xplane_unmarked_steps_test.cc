// Tests steps of profiles that mark none: calls of functions, loops on the host, executions of
// modules.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/support/profile_steps.h"

namespace stepscope::xplane_unmarked_steps_test {
namespace {

// What takes longer than a step, as an evaluation, is no part of it.
TEST(XPlaneSteps, AStepReachesToTheNextUnlessMoreThanAStepLiesBetween) {
  Profile p;
  for (const int64_t at : {0, 1000, 3000}) {
    p.thread.Event("EagerLocalExecute: __inference_train_57", at, 800);
    p.thread.Event("FunctionRun", at + 10, 5, {{"_r", 1}, {"id", 50 + at}});
  }
  EXPECT_EQ(Spans(p.Read()),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {1000, 800}, {3000, 800}}));
}

// A loop that loads data, sleeps or runs operators one by one around a small function: its calls
// alone would make steps of 60 ns of a loop of 1000.
TEST(XPlaneSteps, WhereMoreThanAStepLiesBehindMostTheLoopIsTheStep) {
  Profile p;
  for (const int64_t at : {0, 1000, 2000, 3000, 7000}) {
    p.thread.Event("EagerLocalExecute: __inference_clip_57", at, 60);
    p.thread.Event("FunctionRun", at + 10, 5, {{"_r", 1}, {"id", 50 + at}});
  }
  EXPECT_EQ(Spans(p.Read()), (std::vector<std::pair<int64_t, int64_t>>{
                                 {0, 1000}, {1000, 1000}, {2000, 1000}, {3000, 4000}, {7000, 60}}));
}

// "FunctionRun" is only the asynchronous dispatch: the call around it waits for the results.
TEST(XPlaneSteps, ACallOfAFunctionLastsUntilItsResultsAreThere) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1}) {
    p.thread.Event("EagerLocalExecute: __inference_train_57", 1000 * i, 800);
    p.thread.Event("FunctionRun", 1000 * i + 10, 5, {{"_r", 1}, {"id", 50 + i}});
    executor.Event("ExecutorState::Process", 1000 * i + 20, 700, {{"id", 50 + i}});
    p.Launch(executor, 1000 * i + 30, "k" + std::to_string(i), i + 1);
    p.thread.Event("EagerLocalExecute: AddV2", 1000 * i + 850, 10);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"FunctionRun", 0}, {"FunctionRun", 1}}));
  EXPECT_EQ(Spans(t), (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {1000, 800}}));
  EXPECT_EQ(Work(t), (Steps{{"k0", 0}, {"k1", 1}}));
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsFromFunctions), 2);
}

TEST(XPlaneSteps, OfSeveralFunctionsTheOneWithTheMostTimeIsTheStep) {
  Profile p;
  for (const int64_t i : {0, 1, 2}) {
    const auto call = [&](const std::string& function, int64_t at, int64_t time, int64_t id) {
      p.thread.Event("EagerLocalExecute: __inference_" + function, 1000 * i + at, time);
      p.thread.Event("FunctionRun", 1000 * i + at + 1, 2, {{"_r", 1}, {"id", id}});
    };
    call(i < 2 ? "train_57" : "train_91", 0, 700, 10 + i);  // traced anew for the last batch
    call("update_metrics_3", 750, 20, 20 + i);
    call("update_metrics_3", 800, 20, 30 + i);
  }
  EXPECT_EQ(Spans(p.Read()),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {1000, 1000}, {2000, 700}}));
}

// A call of a function, and an executor's work for it: an operator `op`.
void Call(Profile& p, SampleLine& executor, const std::string& function, int64_t at, int64_t time,
          const std::string& op) {
  p.thread.Event("EagerLocalExecute: __inference_" + function, at, time);
  p.thread.Event("FunctionRun", at + 1, 2, {{"_r", 1}, {"id", at}});
  executor.Event("ExecutorState::Process", at + 3, time - 5, {{"id", at}});
  executor.Event(op, at + 4, 5);
  executor.Event(op, at + 10, 5);
}

constexpr const char* kForward = "model/dense/MatMul:MatMul";
constexpr const char* kBackward = "StatefulPartitionedCall/gradient_tape/model/MatMul:MatMul";

// Keras calls both "one_step_on_iterator".
TEST(XPlaneSteps, OfFunctionsOfOneNameThoseThatComputeGradientsAreSteps) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1, 2, 3}) {
    Call(p, executor, i % 2 == 0 ? "one_step_57" : "one_step_91", 1000 * i, 200, kBackward);
    if (i == 1) {  // an evaluation, shorter than a step
      for (const int64_t e : {0, 1, 2})
        Call(p, executor, "one_step_73", 1210 + 50 * e, 40, kForward);
    }
  }
  for (const int64_t e : {0, 1, 2, 3}) Call(p, executor, "test_5", 4000 + 900 * e, 880, kForward);
  EXPECT_EQ(Spans(p.Read()), (std::vector<std::pair<int64_t, int64_t>>{
                                 {0, 1000}, {1000, 200}, {2000, 1000}, {3000, 200}}));
}

TEST(XPlaneSteps, AnEvaluationShorterThanAStepIsNoPartOfIt) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1, 2}) {
    Call(p, executor, "one_step_57", 1000 * i, 800, kBackward);
    if (i == 1) Call(p, executor, "one_step_73", 1850, 50, kForward);
    Call(p, executor, "update_metrics_5", 1000 * i + 920, 30, kForward);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Spans(t),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {1000, 800}, {2000, 800}}));
  const EventId last = static_cast<EventId>(t.size() - 1);
  EXPECT_EQ(t.strings[t.names()[last]], "one_step");
  EXPECT_EQ(t.starts()[last], 1800);
  EXPECT_EQ(t.durations()[last], 200);
  EXPECT_EQ(t.Ints(IntField::kEvaluationCalls).Find(last), 1);
}

// Behind the step before the evaluation, and behind the last one, it is no evaluation either.
TEST(XPlaneSteps, WhatFollowsEachStepIsNoEvaluation) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1, 2, 3, 4, 5}) {
    Call(p, executor, "one_step_57", 1000 * i, 800, kBackward);
    if (i == 1) Call(p, executor, "one_step_73", 1850, 50, kForward);
    Call(p, executor, "update_metrics_5", 1000 * i + 920, 30, kForward);
  }
  const Trace t = p.Read();
  std::vector<int64_t> calls;
  for (EventId e = 0; e < t.size(); ++e) {
    if (const auto of_event = t.Ints(IntField::kEvaluationCalls).Find(e))
      calls.push_back(*of_event);
  }
  EXPECT_EQ(calls, std::vector<int64_t>{1});
}

TEST(XPlaneSteps, FunctionsThatTrainInTurnAreOneStep) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1, 2, 3}) {
    for (const int64_t d : {0, 1, 2})
      Call(p, executor, "train_critic_57", 1000 * i + 200 * d, 190, kBackward);
    Call(p, executor, "train_generator_91", 1000 * i + 600, 190, kBackward);
  }
  EXPECT_EQ(Spans(p.Read()), (std::vector<std::pair<int64_t, int64_t>>{
                                 {600, 1000}, {1600, 1000}, {2600, 1000}, {3600, 190}}));
}

TEST(XPlaneSteps, WithoutACallAFunctionLastsUntilItsExecutorsAreDone) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  p.thread.Event("FunctionRun", 0, 20, {{"_r", 1}, {"id", 3}});
  executor.Event("ExecutorState::Process", 10, 500, {{"id", 3}});
  executor.Event("ExecutorState::Process", 520, 100, {{"id", 3}});
  executor.Event("ExecutorState::Process", 700, 100, {{"id", 4}});
  EXPECT_EQ(Spans(p.Read()), (std::vector<std::pair<int64_t, int64_t>>{{0, 620}}));
}

TEST(XPlaneSteps, ADispatchAloneIsNoStep) {
  Profile p;
  for (const int64_t i : {0, 1, 2})
    p.thread.Event("FunctionRun", 100 * i, 20, {{"_r", 1}, {"id", 3 + i}});
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), Steps{});
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsWithoutEnd), 3);
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsFromFunctions), 0);
}

// Keras numbers batches and does not mark them as roots.
TEST(XPlaneSteps, NumberedBatchesGoBeforeCallsOfFunctions) {
  Profile p;
  for (const int64_t i : {0, 1}) {
    p.thread.Event("Profiled batch", 1000 * i, 900, {{"step_num", 40 + i}});
    p.thread.Event("EagerLocalExecute: __inference_train_57", 1000 * i + 5, 800);
    p.thread.Event("FunctionRun", 1000 * i + 10, 5, {{"_r", 1}, {"id", 50 + i}});
    p.Launch(p.thread, 1000 * i + 12, "k" + std::to_string(i), i + 1);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"Profiled batch", 40}, {"Profiled batch", 41}}));
  EXPECT_EQ(Work(t), (Steps{{"k0", 40}, {"k1", 41}}));
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsFromFunctions), 0);
}

TEST(XPlaneSteps, LoopsWithinWhatIsMarkedAreNoSteps) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  p.thread.Event("train", 0, 900, {{"_r", 1}, {"step_num", 3}});
  p.thread.Event("FunctionRun", 10, 800, {{"_r", 1}, {"id", 5}});
  for (const int64_t i : {0, 1, 2}) {  // of a recurrent layer
    executor.Event("ExecutorState::Process", 100 * i + 20, 40, {{"id", 5}, {"iter_num", i}});
    p.Launch(executor, 100 * i + 30, "k" + std::to_string(i), i + 1);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"train", 3}}));
  EXPECT_EQ(Work(t), (Steps{{"k0", 3}, {"k1", 3}, {"k2", 3}}));
}

TEST(XPlaneSteps, PipelinesRunFunctionsThatAreNoSteps) {
  Profile p;
  SampleLine& pipeline = p.host.Line(2, "tf_data");
  p.thread.Event("FunctionRun", 0, 50, {{"step_num", 4}, {"id", 1}});
  p.host.Line(3, "tf_Compute").Event("ExecutorState::Process", 5, 90, {{"id", 1}});
  pipeline.Event("InstantiatedCapturedFunction::Run", 10, 30, {{"id", 2}});
  pipeline.Event("FunctionRun", 12, 20, {{"step_num", 9}, {"id", 3}});
  EXPECT_EQ(Markers(p.Read()), (Steps{{"FunctionRun", 4}}));
}

TEST(XPlaneSteps, IterationsOfALoopOnTheHostAreSteps) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  p.thread.Event("SessionRun", 0, 900, {{"id", 5}, {"step_num", 1}});
  for (const int64_t i : {0, 1, 2}) {
    executor.Event("ExecutorState::Process", 100 * i, 40, {{"id", 5}, {"iter_num", i}});
    p.Launch(executor, 100 * i + 10, "k" + std::to_string(i), i + 1);
    executor.Event("ExecutorState::Process", 100 * i + 50, 40, {{"id", 5}, {"iter_num", i}});
  }
  const Trace t = p.Read();
  EXPECT_EQ(Work(t), (Steps{{"k0", 0}, {"k1", 1}, {"k2", 2}}));
  EXPECT_EQ(Markers(t).size(), 3u);
}

TEST(XPlaneSteps, WhereOperatorsLoopIterationsAreNoSteps) {
  Profile p;
  p.thread.Event("SessionRun", 0, 900, {{"id", 5}, {"step_num", 1}});
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  executor.Event("ForeverOp", 5, 800);
  for (const int64_t i : {0, 1, 2})
    executor.Event("ExecutorState::Process", 10 + 100 * i, 40, {{"id", 5}, {"iter_num", i}});
  EXPECT_EQ(Markers(p.Read()), (Steps{{"SessionRun", 1}}));
}

TEST(XPlaneSteps, IterationsOfSeveralLoopsAreNumberedInOrderOfTime) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  for (const int64_t i : {0, 1}) {
    executor.Event("ExecutorState::Process", 100 * i, 40, {{"id", 9}, {"iter_num", i}});
    executor.Event("ExecutorState::Process", 100 * i + 50, 40, {{"id", 5}, {"iter_num", i}});
  }
  const std::string name = "ExecutorState::Process";
  EXPECT_EQ(Markers(p.Read()), (Steps{{name, 0}, {name, 1}, {name, 2}, {name, 3}}));
}

TEST(XPlaneSteps, ALoopThatCountsNothingIsNone) {
  Profile p;
  p.thread.Event("SessionRun", 0, 900, {{"id", 5}, {"step_num", 1}});
  p.host.Line(2, "x").Event("ExecutorState::Process", 10, 40, {{"id", 5}, {"iter_num", 0}});
  EXPECT_EQ(Markers(p.Read()), (Steps{{"SessionRun", 1}}));
}

TEST(XPlaneSteps, WorkWhoseLaunchIsMissingGoesWithTheWorkBefore) {
  Profile p;
  p.stream.Event("first of all", 20, 5);
  p.thread.Event("train", 0, 90, {{"_r", 1}, {"step_num", 2}});
  p.Launch(p.thread, 10, "a", 1);
  p.stream.Event("eager", 130, 5, {{"correlation_id", 99}});
  SampleLine& other = p.file.Plane("/device:GPU:1").Line(7, "Stream #7(Compute)");
  other.Event("elsewhere", 130, 5);
  EXPECT_EQ(Work(p.Read()),
            (Steps{{"first of all", -1}, {"a", 2}, {"eager", 2}, {"elsewhere", -1}}));
}

using Times = std::vector<std::pair<int64_t, int64_t>>;

TEST(XPlaneSteps, WithoutRootsExecutionsOfTheLargestModuleAreSteps) {
  for (const bool numbered : {true, false}) {
    SampleXSpace file;
    SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1");
    const auto run = [&](const char* module, const char* op, int64_t at, int64_t long_for,
                         int64_t number) {
      SampleStats stats = {{"hlo_module", module}, {"hlo_op", op}};
      if (numbered) stats.push_back({"run_id", number});
      line.Event(op, at, long_for, stats);
    };
    for (const int64_t i : {0, 1, 2}) {
      run("jit_init", "iota", 1000 * i, 10, 50 + i);
      run("jit_step", "fusion.1", 1000 * i + 100, 300, 60 + i);  // the loop's body: twice
      run("jit_step", "fusion.1", 1000 * i + 400, 300, 60 + i);
      run("jit_step", "dot.2", 1000 * i + 700, 100, 60 + i);  // once in each: tells them apart
    }
    auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
    ASSERT_TRUE(trace);
    // Where they are not numbered, only the beginning of the third was recorded.
    EXPECT_EQ(Spans(*trace), (numbered ? Times{{100, 1000}, {1100, 1000}, {2100, 700}}
                                       : Times{{700, 1000}, {1700, 1000}}));
  }
}

// As of a job that is recorded window by window: wherever a window begins, its steps begin with the
// operation before which the program pauses.
TEST(XPlaneSteps, StepsBeginBehindThePauseWhereverTheRecordingDoes) {
  for (const int64_t from : {0, 150, 350, 650, 950}) {
    SampleXSpace file;
    SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1");
    for (int64_t at = 0; at < 5000; at += 1000) {
      for (const auto& [op, begin, time] : {std::tuple{"copy", 0, 100},
                                            {"dot", 110, 200},
                                            {"reduce", 330, 270},
                                            {"add", 605, 100}}) {
        if (at + begin < from || at + begin >= from + 4000) continue;
        line.Event(op, at + begin, time, {{"hlo_module", "jit_step"}, {"hlo_op", op}});
      }
    }
    const auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
    ASSERT_TRUE(trace);
    const auto spans = Spans(*trace);
    ASSERT_GE(spans.size(), 3u) << from;
    EXPECT_EQ(spans[0], (std::pair<int64_t, int64_t>{from == 0 ? 0 : 1000, 1000})) << from;
  }
}

// A recording ends in the middle of a step, or behind the last operation of one; whether more
// belongs to that is known where the program goes on at once. Of few steps it is kept.
TEST(XPlaneSteps, AStepWhoseEndIsNotRecordedIsNone) {
  struct Case {
    int64_t to, last;
    size_t steps;
  };
  for (const auto& [to, last, steps] : {Case{2500, 630, 2},
                                        {3250, 630, 3},
                                        {3500, 630, 3},
                                        {3970, 270, 4},
                                        {16'970, 630, 17},
                                        {16'970, 270, 16}}) {
    for (const bool numbered : {false, true}) {
      SampleXSpace file;
      SampleLine& line = file.Plane("/device:GPU:0").Line(1, "Stream #1");
      for (int64_t at = 0; at < 20'000; at += 1000) {
        for (const auto& [op, begin, time] : {std::tuple{"copy", int64_t{0}, int64_t{100}},
                                              {"dot", 110, 200},
                                              {"reduce", 330, last}}) {
          if (at + begin + time > to) continue;
          SampleStats stats = {{"hlo_module", "jit_step"}, {"hlo_op", op}};
          if (numbered) stats.push_back({"run_id", at});
          line.Event(op, at + begin, time, stats);
        }
      }
      const auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
      ASSERT_TRUE(trace);
      EXPECT_EQ(Spans(*trace).size(), steps) << to << " " << last << " " << numbered;
    }
  }
}

TEST(XPlaneSteps, ExecutionsThatAreNumberedGoBeforeThoseThatAreNot) {
  Profile p;
  for (const auto& [at, number] : {std::pair{0, -1}, {120, 5}, {100, 5}, {200, 6}, {300, -1}}) {
    SampleStats stats = {{"hlo_module", "jit_f"}, {"hlo_op", "fusion"}};
    if (number >= 0) stats.push_back({"run_id", number});
    p.stream.Event("fusion", at, 10, stats);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"jit_f", 0}, {"jit_f", 1}}));
  EXPECT_EQ(t.starts()[t.size() - 2], 100);
  EXPECT_EQ(t.durations()[t.size() - 2], 100);
  EXPECT_EQ(t.durations()[t.size() - 1], 110) << "to the end of what is not numbered";
}

// As JAX runs programs on GPUs: all kernels of a graph have its operation and its launch.
TEST(XPlaneSteps, AGraphOfCudaIsOneExecutionThoughItsKernelsHaveOneOperation) {
  Profile p;
  SampleLine& second = p.file.Plane("/device:GPU:0").Line(8, "Stream #8(Compute)");
  for (const int64_t i : {0, 1, 2}) {
    const SampleStats stats = {
        {"hlo_module", "jit_train"}, {"hlo_op", "command_buffer_1"}, {"correlation_id", 10 + i}};
    for (const int64_t kernel : {0, 1, 2, 3})
      p.stream.Event("gemm", 1000 * i + 100 * kernel, 50, stats);
    second.Event("gemm", 1000 * i + 20, 50, stats);
  }
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"jit_train", 0}, {"jit_train", 1}, {"jit_train", 2}}));
  EXPECT_EQ(Spans(t),
            (std::vector<std::pair<int64_t, int64_t>>{{0, 1000}, {1000, 1000}, {2000, 350}}));
}

TEST(XPlaneSteps, AModuleThatRanOnceIsNoSteps) {
  Profile p;
  p.stream.Event("fusion", 0, 10, {{"hlo_module", "jit_f"}, {"hlo_op", "fusion"}, {"run_id", 1}});
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), Steps{});
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsFromModule), 0);
}

TEST(XPlaneSteps, ATpuWithoutStepsIsDividedByItsPrograms) {
  SampleXSpace file;
  for (const int64_t core : {0, 1}) {
    SamplePlane& tpu = file.Plane("/device:TPU:" + std::to_string(core));
    SampleLine& modules = tpu.Line(1, "XLA Modules");
    SampleLine& ops = tpu.Line(2, "XLA Ops");
    for (const int64_t run : {0, 1, 2}) {
      const int64_t start = 1000 * run + 10 * core;
      modules.Event("jit_step(7)", start, 500, {{"run_id", 40 + run}});
      ops.Event("%fusion.1 = f32[8] fusion(...)", start + 20, 400);
    }
    modules.Event("jit_eval(8)", 3500, 10, {{"run_id", 50}});
  }
  auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
  ASSERT_TRUE(trace);
  const Trace& t = *trace;
  EXPECT_EQ(t.notes.Count(NoteKind::kStepsFromModule), 3);
  EXPECT_EQ(t.notes.Detail(NoteKind::kStepsFromModule), "jit_step");
  EXPECT_EQ(Markers(t), (Steps{{"jit_step", 0}, {"jit_step", 1}, {"jit_step", 2}}));
  EXPECT_EQ(Work(t).size(), 6u);
  EXPECT_EQ(Work(t)[4].second, 1);
}

}  // namespace
}  // namespace stepscope::xplane_unmarked_steps_test
