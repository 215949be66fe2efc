// Tests when devices compute, and what ranks spend more time on than others.
#include "facts/derived/lateness/lateness.h"

#include <gtest/gtest.h>

#include "facts/activity/compute_cover.h"
#include "facts/activity/rank_activity_builder.h"
#include "tests/support/sample_trace.h"

namespace stepscope::lateness_test {
namespace {

TEST(ComputeCover, IsTheUnionOfComputeOnOneDevice) {
  SampleTrace t;
  t.Activity("a", 10, 20);
  t.Activity("b", 15, 30, 0, 8);
  t.Activity("c", 40, 50);
  t.Activity("nccl", 0, 100, 0, 20, Kind::kCommunication);
  t.Activity("other", 0, 100, 0, 7, Kind::kCompute, 1);
  const RankActivity rank = BuildRankActivity(t.trace);
  const std::vector<ComputeCover> covers = ComputeCover::Of(rank);
  ASSERT_EQ(covers.size(), 2u);
  EXPECT_EQ(covers[0].Within(0, 100), 30);
  EXPECT_EQ(covers[0].Within(0, 10), 0);
  EXPECT_EQ(covers[0].Within(12, 45), 23);
  EXPECT_EQ(covers[0].Within(32, 38), 0);
  EXPECT_EQ(covers[0].Within(50, 40), 0);
  EXPECT_EQ(covers[1].Within(90, 200), 10);
}

TEST(Lateness, IsMeasuredAgainstTheMedianOfTheOthersPerStep) {
  // Steps recorded differ: what counts is compute per step, 10, 10, 12 and 40 ns.
  const std::vector<RankEffort> efforts = {{.steps = 2, .compute = 20},
                                           {.steps = 4, .compute = 40},
                                           {.steps = 1, .compute = 12},
                                           {.steps = 3, .compute = 120}};
  const auto beyond = BeyondOthers(efforts);
  EXPECT_EQ(beyond[0].compute, (10 - 12) * 2);  // of 10, 12, 40
  EXPECT_EQ(beyond[2].compute, (12 - 10) * 1);  // of 10, 10, 40
  EXPECT_EQ(beyond[3].compute, (40 - 10) * 3);  // of 10, 10, 12
  const auto two = BeyondOthers({{.compute = 5}, {.compute = 9}});
  EXPECT_EQ(two[0].compute, -4);
  EXPECT_EQ(two[1].compute, 4);
}

TEST(Lateness, IdleUntilALateLaunchIsTheHosts) {
  SampleTrace t;
  t.Launch(1, 1);
  t.Activity("a", 5, 10, 1);
  t.Launch(30, 2);
  t.Activity("b", 35, 40, 2);  // idle for 25, launched too late
  t.Launch(31, 3);
  t.Activity("c", 60, 70, 3);  // idle for 20, launched in time
  t.Activity("d", 90, 95);     // nobody knows when it was launched
  const std::vector<RankActivity> ranks = {BuildRankActivity(t.trace)};
  const Facts facts = DeriveFacts(t.trace.strings, ranks, *ParseSteps("all"), "all");
  const auto efforts = MeasureEfforts(facts);
  ASSERT_EQ(efforts.size(), 1u);
  EXPECT_EQ(efforts[0].host_late, 25);
  EXPECT_EQ(efforts[0].kernels, 4);
  EXPECT_EQ(efforts[0].compute, 25);
}

}  // namespace
}  // namespace stepscope::lateness_test
