// Tests which events of a profile belong to which step: marked roots, roots by name, loops on the
// host, links between threads, and steps of profiles that mark none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/support/read_profile.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::xplane_steps_test {
namespace {

using Steps = std::vector<std::pair<std::string, int64_t>>;

// A profile with a host and a GPU. Kernels are found by their names.
struct Profile {
  SampleXSpace file;
  SamplePlane& host = file.Plane("/host:CPU");
  SampleLine& thread = host.Line(1, "python");
  SampleLine& stream = file.Plane("/device:GPU:0").Line(7, "Stream #7(Compute)");

  // A launch of 1 ns at `at` on `line`, and its kernel 100 ns later.
  void Launch(SampleLine& line, int64_t at, const std::string& kernel, int64_t correlation) {
    line.Event("cuLaunchKernel", at, 1, {{"correlation_id", correlation}});
    stream.Event(kernel, at + 100, 5, {{"correlation_id", correlation}});
  }
  Trace Read() { return ReadProfile(file.Bytes()); }
};

// Names and steps of device activity, or of the markers, in the order of the trace.
Steps StepsOf(const Trace& t, bool work) {
  Steps steps;
  for (EventId e = 0; e < t.size(); ++e) {
    if (IsDeviceActivity(t.kinds()[e]) != work) continue;
    const auto step = t.Ints(IntField::kStep).Find(e);
    if (work || step) steps.emplace_back(t.strings[t.names()[e]], step.value_or(-1));
  }
  return steps;
}
Steps Work(const Trace& t) { return StepsOf(t, true); }
Steps Markers(const Trace& t) { return StepsOf(t, false); }

TEST(XPlaneSteps, ARootSaysItsNumberAndHoldsWhatItLaunches) {
  Profile p;
  p.thread.Event("train", 0, 50, {{"_r", 1}, {"step_num", 100}});
  p.Launch(p.thread, 10, "a", 1);
  p.Launch(p.thread, 60, "between", 2);
  p.thread.Event("train", 100, 50, {{"_r", 1}, {"step_num", 101}});
  p.Launch(p.thread, 110, "b", 3);
  const Trace t = p.Read();
  EXPECT_EQ(Markers(t), (Steps{{"train", 100}, {"train", 101}}));
  EXPECT_EQ(Work(t), (Steps{{"a", 100}, {"between", -1}, {"b", 101}}));
}

TEST(XPlaneSteps, ARootWithinARootIsNoStepOfItsOwn) {
  Profile p;
  p.thread.Event("train", 0, 90, {{"_r", 1}, {"step_num", 7}});
  p.thread.Event("inner", 10, 20, {{"_r", 1}, {"step_num", 0}});
  p.Launch(p.thread, 15, "a", 1);
  EXPECT_EQ(Work(p.Read()), (Steps{{"a", 7}}));
  EXPECT_EQ(Markers(p.Read()), (Steps{{"train", 7}}));
}

TEST(XPlaneSteps, AHigherLevelGoesFirst) {
  Profile p;
  p.thread.Event("batch", 0, 90, {{"_r", 2}});
  p.thread.Event("session", 10, 20, {{"_r", 1}});
  p.Launch(p.thread, 15, "a", 1);
  EXPECT_EQ(Markers(p.Read()), (Steps{{"batch", 0}}));
}

TEST(XPlaneSteps, RootsThatSayTheSameNumberAreNumberedInOrder) {
  Profile p;
  for (const int64_t at : {200, 0, 100})
    p.thread.Event("train", at, 50, {{"_r", 1}, {"step_num", 5}});
  p.Launch(p.thread, 110, "second", 1);
  const Trace t = p.Read();
  EXPECT_EQ(Work(t), (Steps{{"second", 1}}));
  EXPECT_EQ(Markers(t), (Steps{{"train", 2}, {"train", 0}, {"train", 1}}));
}

TEST(XPlaneSteps, RootsWithoutANumberAreNumberedInOrder) {
  Profile p;
  p.thread.Event("train", 0, 50, {{"_r", 1}});
  p.thread.Event("train", 100, 50, {{"_r", 1}});
  EXPECT_EQ(Markers(p.Read()), (Steps{{"train", 0}, {"train", 1}}));
}

TEST(XPlaneSteps, WhatIsHandedToAnotherThreadBelongsToTheStep) {
  Profile p;
  SampleLine& worker = p.host.Line(2, "worker");
  SampleLine& other = p.host.Line(3, "other");
  p.thread.Event("train", 0, 50, {{"_r", 1}, {"step_num", 3}});
  p.thread.Event("enqueue", 5, 5, {{"_pt", 9}, {"_p", 77}});
  worker.Event("take", 20, 60, {{"_ct", 9}, {"_c", 77}});
  worker.Event("hand on", 30, 5, {{"_pt", 4}, {"_p", 1}});
  other.Event("take", 60, 50, {{"_ct", 4}, {"_c", 1}});
  p.Launch(worker, 25, "a", 1);
  p.Launch(other, 70, "b", 2);
  SampleLine& stranger = p.host.Line(4, "stranger");
  stranger.Event("take", 20, 60, {{"_ct", 9}, {"_c", 78}});
  p.Launch(stranger, 40, "c", 3);
  EXPECT_EQ(Work(p.Read()), (Steps{{"a", 3}, {"b", 3}, {"c", -1}}));
}

TEST(XPlaneSteps, LinksThatGoInCirclesEnd) {
  Profile p;
  SampleLine& worker = p.host.Line(2, "worker");
  p.thread.Event("train", 0, 50, {{"_r", 1}, {"step_num", 3}, {"_ct", 1}, {"_c", 2}});
  p.thread.Event("x", 5, 5, {{"_pt", 1}, {"_p", 1}});
  worker.Event("y", 20, 60, {{"_ct", 1}, {"_c", 1}, {"_pt", 1}, {"_p", 2}});
  p.Launch(worker, 25, "a", 1);
  EXPECT_EQ(Work(p.Read()), (Steps{{"a", 3}}));
}

TEST(XPlaneSteps, AKeyThatJoinsAllWithAllTellsNothing) {
  for (const int64_t many : {63, 64}) {
    Profile p;
    SampleLine& worker = p.host.Line(2, "worker");
    p.thread.Event("train", 0, 5000, {{"_r", 1}, {"step_num", 3}});
    for (int64_t i = 0; i < many; ++i) {
      p.thread.Event("give", 10 * i, 5, {{"_pt", 9}, {"_p", 0}});
      worker.Event("take", 10 * i, 9, {{"_ct", 9}, {"_c", 0}});
    }
    p.Launch(worker, 2, "a", 1);
    EXPECT_EQ(Work(p.Read()), (Steps{{"a", many < 64 ? 3 : -1}}));
  }
}

// Each step hands work to two workers, under keys that differ from other steps' by type or by id.
TEST(XPlaneSteps, TheOrderOfEventsInALineDoesNotMatter) {
  using Planned = std::tuple<std::string, int64_t, int64_t, SampleStats>;
  constexpr int64_t kCount = 400;
  std::vector<Planned> own, first, second;
  Steps expected;
  for (int64_t i = 0; i < kCount; ++i) {
    const int64_t at = 1000 * i, id = 7 * (kCount - i), last_id = id + 7;
    own.push_back({"train", at, 900, {{"_r", 1}, {"step_num", i}}});
    own.push_back({"give", at + 1, 899, {{"_pt", 1}, {"_p", id}}});
    own.push_back({"give", at + 10, 5, {{"_pt", 2}, {"_p", last_id}}});
    first.push_back({"take", at + 500, 800, {{"_ct", 1}, {"_c", id}}});
    first.push_back({"cuLaunchKernel", at + 1200, 1, {{"correlation_id", 2 * i + 1}}});
    second.push_back({"take", at + 600, 100, {{"_ct", 2}, {"_c", last_id}}});
    second.push_back({"cuLaunchKernel", at + 600, 1, {{"correlation_id", 2 * i + 2}}});
    expected.insert(expected.end(), {{"a", i}, {"b", i}});
  }
  for (const bool shuffled : {false, true}) {
    Profile p;
    std::mt19937 chance(1);
    for (std::vector<Planned>* events : {&own, &first, &second}) {
      if (shuffled) std::ranges::shuffle(*events, chance);
      SampleLine& line = p.host.Line(2, "line");
      for (const auto& [name, start, duration, stats] : *events)
        line.Event(name, start, duration, stats);
    }
    for (int64_t i = 0; i < kCount; ++i) {
      p.stream.Event("a", 1000 * i + 1300, 5, {{"correlation_id", 2 * i + 1}});
      p.stream.Event("b", 1000 * i + 1310, 5, {{"correlation_id", 2 * i + 2}});
    }
    EXPECT_EQ(Work(p.Read()), expected) << (shuffled ? "in any order" : "in order of time");
  }
}

TEST(XPlaneSteps, ExecutorsWorkForTheFunctionWhoseIdTheyCarry) {
  Profile p;
  SampleLine& executor = p.host.Line(2, "tf_Compute");
  p.thread.Event("train", 0, 50, {{"_r", 1}, {"step_num", 8}});
  p.thread.Event("FunctionRun", 5, 40, {{"id", 1234}});
  executor.Event("ExecutorState::Process", 20, 60, {{"id", 1234}, {"iter_num", 0}});
  p.Launch(executor, 30, "a", 1);
  executor.Event("ExecutorState::Process", 90, 9, {{"id", 9999}, {"iter_num", 0}});
  p.Launch(executor, 92, "b", 2);
  EXPECT_EQ(Work(p.Read()), (Steps{{"a", 8}, {"b", -1}}));
}

TEST(XPlaneSteps, LegacyRootsCountOnlyWhereNoneSaysSo) {
  Profile p;
  p.thread.Event("SessionRun", 0, 50, {{"step_num", 4}});
  p.Launch(p.thread, 10, "a", 1);
  p.thread.Event("SessionRun", 100, 50, {{"step_num", 5}});
  p.Launch(p.thread, 110, "b", 2);
  EXPECT_EQ(Work(p.Read()), (Steps{{"a", 4}, {"b", 5}}));
  p.thread.Event("train", 300, 50, {{"_r", 1}, {"step_num", 6}});
  EXPECT_EQ(Markers(p.Read()), (Steps{{"train", 6}}));
}

// TensorFlow 2 marks every call of a function as a root.
TEST(XPlaneSteps, WhatTheProgramMarksGoesBeforeCallsOfFunctions) {
  Profile p;
  SampleLine& pipeline = p.host.Line(2, "tf_data_private_threadpool");
  for (const int64_t i : {0, 1}) {
    pipeline.Event("FunctionRun", 100 * i, 20, {{"_r", 1}, {"id", 50 + i}});
    p.thread.Event("train", 100 * i + 30, 60, {{"_r", 1}, {"step_num", 7 + i}});
    p.thread.Event("FunctionRun", 100 * i + 40, 20, {{"_r", 1}, {"id", 60 + i}});
  }
  EXPECT_EQ(Markers(p.Read()), (Steps{{"train", 7}, {"train", 8}}));
}

// Start and duration of each marker, in the order of the trace.
std::vector<std::pair<int64_t, int64_t>> Spans(const Trace& t) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (EventId e = 0; e < t.size(); ++e) {
    if (!IsDeviceActivity(t.kinds()[e]) && t.Ints(IntField::kStep).Find(e))
      spans.emplace_back(t.starts()[e], t.durations()[e]);
  }
  return spans;
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
  EXPECT_EQ(Spans(t), (std::vector<std::pair<int64_t, int64_t>>{{0, 800}, {1000, 800}}));
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
            (std::vector<std::pair<int64_t, int64_t>>{{0, 700}, {1000, 700}, {2000, 700}}));
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
    EXPECT_EQ(trace->notes.Count(NoteKind::kStepsFromModule), 3);
    EXPECT_EQ(Markers(*trace), (Steps{{"jit_step", 0}, {"jit_step", 1}, {"jit_step", 2}}));
    const int64_t first = numbered ? 100 : 700;
    EXPECT_EQ(trace->starts()[trace->size() - 3], first);
    EXPECT_EQ(trace->durations()[trace->size() - 3], 1000) << "up to the next";
    EXPECT_EQ(trace->durations()[trace->size() - 1], numbered ? 700 : 100) << "to its own end";
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

TEST(XPlaneSteps, ATpuMarksItsSteps) {
  SampleXSpace file;
  file.Plane("/host:CPU").Line(1, "python").Event("train", 0, 5000, {{"_r", 1}, {"step_num", 1}});
  for (const int64_t core : {0, 1}) {
    SamplePlane& tpu = file.Plane("/device:TPU:" + std::to_string(core));
    tpu.Stats({{"device_type_string", "TPU v5 lite"},
               {"peak_teraflops_per_second", 197.0},
               {"peak_hbm_bw_gigabytes_per_second", 819.0}});
    SampleLine& steps = tpu.Line(0, "Steps");
    steps.Event("10", 100 + 10 * core, 100);
    steps.Event("11", 300 + 10 * core, 100);
    tpu.Line(1, "XLA Modules").Event("jit_step(7)", 100, 300);
    SampleLine& ops = tpu.Line(2, "XLA Ops");
    ops.Event("%fusion.1 = f32[8] fusion(...)", 120, 50);
    ops.Event("%all-reduce.2 = f32[8] all-reduce(...)", 320, 50);
    ops.Event("%while.3 = (f32[8]) while(...)", 320, 80);
    tpu.Metadata("%fusion.1 = f32[8] fusion(...)",
                 {{"hlo_category", SampleRef{"convolution fusion"}}, {"flops", 4096}}, "fusion.1");
    tpu.Metadata("%all-reduce.2 = f32[8] all-reduce(...)",
                 {{"hlo_category", SampleRef{"all-reduce"}}}, "all-reduce.2");
    tpu.Metadata("%while.3 = (f32[8]) while(...)", {}, "while.3");
  }
  auto trace = ReadTrace(ByteSource::FromMemory(file.Bytes()));
  ASSERT_TRUE(trace);
  const Trace& t = *trace;
  EXPECT_EQ(Work(t),
            (Steps{{"fusion.1", 10}, {"all-reduce.2", 11}, {"fusion.1", 10}, {"all-reduce.2", 11}}))
      << "loops span what is in them, and are left out";
  EXPECT_EQ(Markers(t), (Steps{{"step", 10}, {"step", 11}}));
  EXPECT_EQ(t.starts()[t.size() - 2], 100) << "from the first core to begin";
  EXPECT_EQ(t.durations()[t.size() - 2], 110) << "to the last to end";
  EXPECT_EQ(t.kinds()[2], Kind::kCommunication);
  EXPECT_EQ(t.Ints(IntField::kFlops).Find(1), 4096);
  ASSERT_EQ(t.meta.devices.size(), 2u);
  EXPECT_EQ(t.meta.devices[1].name, "TPU v5 lite");
  EXPECT_DOUBLE_EQ(t.meta.devices[1].peak_flops, 197e12);
  EXPECT_DOUBLE_EQ(t.meta.devices[1].memory_bandwidth, 819e9);
}

}  // namespace
}  // namespace stepscope::xplane_steps_test
