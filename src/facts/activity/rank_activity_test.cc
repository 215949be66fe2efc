// Tests that activities are linked to launches and steps, and what is left out or counted.
#include <gtest/gtest.h>

#include "base/time_units.h"
#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"

namespace stepscope::rank_activity_test {
namespace {

TEST(RankActivity, IsSortedByStartEndStreamAndName) {
  SampleTrace t;
  t.Activity("b", 10, 20);
  t.Activity("a", 10, 20);
  t.Activity("c", 10, 15);
  t.Activity("z", 10, 20, 0, 3);
  t.Activity("first", 1, 2);
  const RankActivity activity = BuildRankActivity(t.trace);
  std::string names;
  for (const Activity& w : activity.activities) names += std::string(t.trace.strings[w.name]) + " ";
  EXPECT_EQ(names, "first c z a b ");
}

TEST(RankActivity, OnlyAcceleratorWorkIsWork) {
  SampleTrace t;
  t.Activity("k", 0, 5);
  t.Activity("annotation", 0, 50, 0, 7, Kind::kGpuAnnotation);
  t.Activity("sync", 0, 90, 0, 7, Kind::kSync);
  t.Activity("copy", 5, 9, 0, 8, Kind::kMemcpy);
  EXPECT_EQ(BuildRankActivity(t.trace).activities.size(), 2u);
}

TEST(RankActivity, StreamsAreSortedByDeviceThenNumber) {
  SampleTrace t;
  t.Activity("k", 0, 5, 0, 4294967295, Kind::kCompute, 1);
  t.Activity("k", 1, 5, 0, 20, Kind::kCompute, 0);
  t.Activity("k", 2, 5, 0, 7, Kind::kCompute, 1);
  t.Activity("k", 3, 5, 0, -1, Kind::kCompute, 0);
  const RankActivity activity = BuildRankActivity(t.trace);
  EXPECT_EQ(activity.devices, (std::vector<int64_t>{0, 1}));
  ASSERT_EQ(activity.streams.size(), 4u);
  EXPECT_EQ(activity.streams[0].stream, -1);
  EXPECT_EQ(activity.streams[1].stream, 20);
  EXPECT_EQ(activity.streams[2].stream, 7);
  EXPECT_EQ(activity.streams[3].stream, 4294967295);
  EXPECT_EQ(activity.streams[3].device_index, 1u);
  EXPECT_EQ(activity.activities[0].stream, 3u);
}

TEST(RankActivity, LinksByCorrelationOneToMany) {
  SampleTrace t;
  t.Launch(5, 100);
  t.Call("cudaGraphLaunch", 6, 101);
  t.Activity("kernel", 10, 20, 100);
  t.Activity("of graph", 30, 40, 101);
  t.Activity("of graph", 40, 50, 101);
  t.Activity("of nobody", 60, 70, 999);
  t.Activity("without", 80, 90);
  const RankActivity activity = BuildRankActivity(t.trace);
  EXPECT_EQ(activity.activities[0].launched, 5);
  EXPECT_EQ(activity.activities[1].launched, 6);
  EXPECT_EQ(activity.activities[2].launched, 6);
  EXPECT_EQ(activity.activities[3].launched, kNoTime);
  EXPECT_EQ(activity.activities[4].launched, kNoTime);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kWithoutLaunch), 2);
}

TEST(RankActivity, OfTwoCallsWithOneCorrelationTheEarlierIsTheLaunch) {
  SampleTrace t;
  t.Launch(8, 100);
  t.Launch(5, 100);
  t.Activity("k", 10, 20, 100);
  EXPECT_EQ(BuildRankActivity(t.trace).activities[0].launched, 5);
}

TEST(RankActivity, WorkBelongsToTheStepThatLaunchedIt) {
  SampleTrace t;
  t.Step(4, 0, 100);
  t.Step(5, 100, 200);
  t.Launch(50, 1);
  t.Launch(100, 2);  // the first moment of step 5
  t.Launch(300, 3);
  t.Activity("a", 150, 160, 1);  // runs while the host is in step 5
  t.Activity("b", 170, 180, 2);
  t.Activity("c", 310, 320, 3);
  t.Activity("d", 330, 340);
  const RankActivity activity = BuildRankActivity(t.trace);
  ASSERT_EQ(activity.steps.size(), 2u);
  EXPECT_EQ(activity.activities[0].step, 0);
  EXPECT_EQ(activity.activities[1].step, 1);
  EXPECT_EQ(activity.activities[2].step, kNoStep);
  EXPECT_EQ(activity.activities[3].step, kNoStep);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kOutsideSteps), 1);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kWithoutLaunch), 1);
}

TEST(RankActivity, AnAnnotationsShadowOnTheDeviceIsNoStep) {
  SampleTrace t;
  t.Step(4, 0, 100, Kind::kGpuAnnotation);
  EXPECT_TRUE(BuildRankActivity(t.trace).steps.empty());
}

TEST(RankActivity, AnOperatorMayMarkAStep) {
  SampleTrace t;
  t.Step(4, 0, 100, Kind::kOperator);
  t.trace.Set(IntField::kStep, 4);
  EXPECT_EQ(BuildRankActivity(t.trace).steps.size(), 1u);
}

TEST(RankActivity, AStepThatOccursTwiceCountsOnce) {
  SampleTrace t;
  t.Step(4, 100, 200);
  t.Step(4, 0, 50);
  const RankActivity activity = BuildRankActivity(t.trace);
  ASSERT_EQ(activity.steps.size(), 1u);
  EXPECT_EQ(activity.steps[0].start, 0);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kRepeatedStep), 1);
}

TEST(RankActivity, StepsAreCompleteWhereNoWorkSaysWhatLaunchedIt) {
  SampleTrace t;
  for (const int64_t step : {1, 2}) {
    t.Step(step, step * 100, step * 100 + 100);
    t.Launch(step * 100 + 10, step);
    t.Activity("k", step * 100 + 20, step * 100 + 30);
  }
  const RankActivity activity = BuildRankActivity(t.trace);
  ASSERT_EQ(activity.steps.size(), 2u);
  EXPECT_TRUE(activity.steps[0].complete);
  EXPECT_TRUE(activity.steps[1].complete);
}

TEST(RankActivity, AStepWithinAnotherIsCounted) {
  SampleTrace t;
  t.Step(1, 0, 100);
  t.Step(2, 10, 90);
  t.Step(3, 90, 120);  // reaches beyond
  EXPECT_EQ(BuildRankActivity(t.trace).steps.size(), 3u);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kStepWithinStep), 1);
}

TEST(RankActivity, AStepIsCompleteWhenItsLastLaunchHasItsKernel) {
  SampleTrace t;
  for (const int64_t step : {1, 2, 3}) {
    t.Step(step, step * 100, step * 100 + 100);
    t.Launch(step * 100 + 10, step * 10);
    t.Launch(step * 100 + 20, step * 10 + 1);
  }
  t.Call("cudaMemcpyAsync", 290, 50);  // its copy is missing, but it launches no kernel
  t.Activity("k", 1000, 1001, 11);
  t.Activity("k", 1002, 1003,
             20);  // the first kernel of step 2 alone is missing nothing after it...
  t.Activity("k", 1004, 1005, 21);
  t.Activity("k", 1006, 1007, 30);  // ...but of step 3 the last one is missing
  const RankActivity activity = BuildRankActivity(t.trace);
  EXPECT_TRUE(activity.steps[0].complete);
  EXPECT_TRUE(activity.steps[1].complete);
  EXPECT_FALSE(activity.steps[2].complete);
}

TEST(RankActivity, LeavesOutWhatOnlyABrokenClockExplains) {
  SampleTrace t;
  const int64_t now = 1'700'000'000'000'000'000;
  for (int64_t i = 0; i < 5; ++i) t.Activity("k", now + i * 10, now + i * 10 + 5);
  t.Activity("at zero", 0, 5);
  t.Activity("far ahead", now + kDay + 100, now + kDay + 105);
  t.Activity("endless", now, now + kDay + 1);
  t.Activity("a day long", now, now + kDay);
  const RankActivity activity = BuildRankActivity(t.trace);
  EXPECT_EQ(activity.activities.size(), 6u);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kClockStep), 2);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kHugeDuration), 1);
}

TEST(RankActivity, CountsOverlapsOfOneStreamOnly) {
  SampleTrace t;
  t.Activity("k", 0, 100);
  t.Activity("inside", 10, 20);
  t.Activity("inside too", 50, 60);  // by the running maximum of ends, not by the previous end
  t.Activity("touches", 100, 110);
  t.Activity("beside", 0, 100, 0, 20);
  BuildRankActivity(t.trace);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kOverlapping), 2);
}

TEST(RankActivity, OfAHostOnlyTraceIsEmptyAndNoted) {
  SampleTrace t;
  t.Step(1, 0, 10);
  t.Launch(5, 1);
  const RankActivity activity = BuildRankActivity(t.trace);
  EXPECT_TRUE(activity.activities.empty());
  EXPECT_EQ(activity.steps.size(), 1u);
  EXPECT_EQ(t.trace.notes.Count(NoteKind::kNoGpuEvents), 1);
}

}  // namespace
}  // namespace stepscope::rank_activity_test
