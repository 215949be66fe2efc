// Tests device occupancy in total and by step, and the reasons given without
// activities.
#include "facts/facts.h"

#include <gtest/gtest.h>

#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"

namespace stepscope::facts_test {
namespace {

Facts Derive(const StringTable& names, std::span<const RankActivity> ranks,
             std::string_view steps = "all") {
  return DeriveFacts(names, ranks, *ParseSteps(steps), steps);
}

TEST(Facts, ADeviceEachInOrderWithItsOwnOccupancy) {
  SampleTrace t;
  t.Activity("k", 0, 10, 0, 7, Kind::kCompute, 1);
  t.Activity("c", 5, 20, 0, 20, Kind::kCommunication, 1);
  t.Activity("k", 100, 130, 0, 7, Kind::kCompute, 0);
  const std::vector<RankActivity> ranks = {BuildRankActivity(t.trace)};
  const Facts facts = Derive(t.trace.strings, ranks);
  ASSERT_EQ(facts.devices.size(), 2u);
  EXPECT_EQ(facts.devices[0].device, 0);
  EXPECT_EQ(facts.devices[0].total.Span(), 30);
  EXPECT_EQ(facts.devices[1].device, 1);
  EXPECT_EQ(facts.devices[1].total.Span(), 20);
  EXPECT_EQ(facts.devices[1].total.Overlapped(), 5);
  EXPECT_EQ(facts.Name(ranks[0].activities[0]), "k");
  EXPECT_TRUE(facts.no_work.empty());
  EXPECT_FALSE(facts.HasSteps());
}

TEST(Facts, StepsHaveTheOccupancyOfTheirOwnWork) {
  SampleTrace t;
  t.Step(1, 0, 100);
  t.Step(2, 100, 200);
  t.Launch(50, 1);
  t.Launch(150, 2);
  t.Activity("k", 60, 160, 1);
  t.Activity("k", 160, 170, 2);
  const std::vector<RankActivity> ranks = {BuildRankActivity(t.trace)};
  const Facts all = Derive(t.trace.strings, ranks);
  ASSERT_EQ(all.devices[0].by_step.size(), 2u);
  EXPECT_EQ(all.devices[0].by_step[0].Busy(), 100);
  EXPECT_EQ(all.devices[0].by_step[1].Busy(), 10);
  const Facts second = Derive(t.trace.strings, ranks, "2");
  EXPECT_EQ(second.devices[0].total.Busy(), 10);
  ASSERT_EQ(second.devices[0].by_step.size(), 1u);
}

TEST(Facts, SayWhyThereIsNoWork) {
  SampleTrace without, stepless, stepped;
  stepless.Activity("k", 0, 10);
  stepped.Step(3, 0, 100);
  stepped.Launch(1, 1);
  stepped.Activity("k", 5, 10);
  const std::vector<RankActivity> none = {BuildRankActivity(without.trace)};
  const std::vector<RankActivity> no_steps = {BuildRankActivity(stepless.trace)};
  const std::vector<RankActivity> steps = {BuildRankActivity(stepped.trace)};
  const auto why = [](const SampleTrace& t, std::span<const RankActivity> ranks,
                      std::string_view selection) {
    return Derive(t.trace.strings, ranks, selection).no_work;
  };
  EXPECT_TRUE(why(without, none, "all").contains("no trace has device activity"));
  EXPECT_TRUE(why(stepless, no_steps, "3").contains("no steps to select from"));
  EXPECT_TRUE(why(stepped, steps, "4").contains("steps in the traces: 3"));
  EXPECT_TRUE(why(stepped, steps, "complete").contains("no step is complete"));
}

TEST(Facts, NameTheRanksWithoutWork) {
  SampleTrace with, without;
  with.Activity("k", 0, 10);
  std::vector<RankActivity> ranks = {BuildRankActivity(with.trace),
                                     BuildRankActivity(without.trace)};
  ranks[1].rank = 1;
  EXPECT_EQ(Derive(with.trace.strings, ranks).some_without_work,
            "rank 1 has no device activity in the selection");
  for (int64_t r = 2; r < 12; ++r) {
    ranks.push_back(ranks[1]);
    ranks.back().rank = r;
  }
  const std::string many = Derive(with.trace.strings, ranks).some_without_work;
  EXPECT_TRUE(many.starts_with("ranks 1, 2, 3,")) << many;
  EXPECT_TRUE(many.contains("and 3 more")) << many;
}

}  // namespace
}  // namespace stepscope::facts_test
