// Tests steps that a profile marks: roots, what they hold, links between threads, and steps of
// TPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/support/profile_steps.h"

namespace stepscope::xplane_steps_test {
namespace {

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
