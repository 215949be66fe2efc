// Tests gaps before activities without a launch, and limits for very many gaps.
#include "facts/derived/steps/step_gaps.h"

#include <gtest/gtest.h>

#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"

namespace stepscope::step_gaps_test {
namespace {

TEST(StepGaps, WithoutALaunchTheLaunchingThreadIsAsked) {
  SampleTrace s;
  s.Step(1, 0, 100);
  s.Step(2, 100, 200);
  s.Range("worker", 0, 200, Kind::kOperator, 1);
  s.Range("save", 55, 120);
  s.Launch(5, 1);
  s.Activity("a", 10, 50, 1);
  s.Activity("b", 150, 160);
  s.trace.Set(IntField::kStep, 2);
  const RankActivity rank = BuildRankActivity(s.trace);
  const auto gaps = FindStepGaps(s.trace.strings, rank);
  ASSERT_EQ(gaps.size(), 1u);
  ASSERT_EQ(gaps[0].size(), 1u);
  EXPECT_EQ(gaps[0][0].gap, 100);
  EXPECT_EQ(gaps[0][0].idle, 100);
  EXPECT_EQ(gaps[0][0].host.name, "save");
  EXPECT_EQ(gaps[0][0].host.time, 65);
}

TEST(StepGaps, OfOneDeviceDoNotLookAtAnother) {
  SampleTrace s;
  s.Step(1, 0, 100);
  s.Step(2, 100, 200);
  for (int64_t i = 0; i < 4; ++i) s.Launch(5 + 100 * (i % 2), i + 1);
  s.Activity("a", 10, 50, 1, 7, Kind::kCompute, 0);
  s.Activity("a", 110, 150, 2, 7, Kind::kCompute, 0);
  s.Activity("a", 10, 90, 3, 7, Kind::kCommunication, 1);
  s.Activity("a", 190, 195, 4, 7, Kind::kCompute, 1);
  const RankActivity rank = BuildRankActivity(s.trace);
  const auto gaps = FindStepGaps(s.trace.strings, rank);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].at(0).gap, 60);
  EXPECT_EQ(gaps[1].at(0).gap, 100);
}

// Every stretch that is asked about holds every record: sooner or later there is no answer, and
// asking a million times takes no time.
TEST(HostActivities, LooksAtEachRecordSoManyTimesOnly) {
  SampleTrace s;
  for (int64_t i = 0; i < 1000; ++i) s.Range("op", 10 * i, 10 * i + 6);
  const RankActivity rank = BuildRankActivity(s.trace);
  HostActivities activities(s.trace.strings, *rank.host);
  const auto first = activities.In(0, -100, 20'000);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, kPythonActivity);
  EXPECT_EQ(first->time, 20'100 - 6000);
  int64_t answers = 0;
  for (int i = 0; i < 1'000'000; ++i) answers += activities.In(0, -100, 20'000) ? 1 : 0;
  EXPECT_GT(answers, 10);
  EXPECT_LT(answers, 100);
}

}  // namespace
}  // namespace stepscope::step_gaps_test
