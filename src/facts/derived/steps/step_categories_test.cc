// Tests which steps are typical: without warm-up, and without exceptions.
#include "facts/derived/steps/step_categories.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace stepscope {
namespace {

// Steps of these times, one after another.
RankSteps StepsOf(const RankActivity& activity, const std::vector<int64_t>& times) {
  RankSteps rank{.rank = &activity};
  int64_t at = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    StepBreakdown& step = rank.steps.emplace_back();
    step.window = {.number = static_cast<int64_t>(i), .start = at, .end = at + times[i]};
    at += times[i];
  }
  return rank;
}

// How many steps of these times are left out as slow; `since`: step time changes at this one.
int64_t SlowAmong(const std::vector<int64_t>& times, std::optional<int64_t> since = {}) {
  const RankActivity activity;
  return FindTypicalSteps({StepsOf(activity, times)}, since).slow;
}

TEST(TypicalSteps, SlowOnesAreExceptionsWhereTheyAreFew) {
  EXPECT_EQ(SlowAmong({10, 10, 10, 10, 10, 30}), 1);
  EXPECT_EQ(SlowAmong({10, 10, 10, 30}), 0) << "fewer than five";
  EXPECT_EQ(SlowAmong({10, 10, 10, 10, 20, 30}), 0) << "more than a fifth";
}

// Where many steps are somewhat slow, one of twelve times the median still is none of them.
TEST(TypicalSteps, OneThatIsFarSlowerIsAnExceptionAmongMany) {
  EXPECT_EQ(SlowAmong({10, 10, 10, 10, 16, 17, 120}), 1);
  EXPECT_EQ(SlowAmong({10, 10, 10, 10, 50, 60, 120}), 0) << "more than a fifth";
  EXPECT_EQ(SlowAmong({10, 10, 10, 10, 10, 10, 10, 25, 10, 30, 10, 45}), 0) << "one of three";
}

// As of a loader that starves at times: two of twelve steps have three eighths of all time.
TEST(TypicalSteps, SeveralThatHaveAThirdOfAllTimeAreWhereItGoes) {
  EXPECT_EQ(SlowAmong({10, 10, 10, 60, 10, 10, 10, 10, 10, 50, 10, 10}), 0);
  EXPECT_EQ(SlowAmong({10, 10, 10, 30, 10, 10, 10, 10, 10, 35, 10, 10}), 2) << "a quarter";
  EXPECT_EQ(SlowAmong({10, 10, 10, 110, 10, 10, 10, 10, 10, 10, 10, 10}), 1) << "one alone";
}

TEST(TypicalSteps, WhereStepTimeChangesStepsAreComparedWithTheirOwnTime) {
  const std::vector<int64_t> times = {10, 10, 10, 10, 10, 30, 10, 10, 20, 20, 20, 20, 20};
  EXPECT_EQ(SlowAmong(times), 0) << "almost half of them are slow";
  EXPECT_EQ(SlowAmong(times, 8), 1);
}

TEST(TypicalSteps, OneThatIsSlowOnOneRankIsLeftOutOnAll) {
  RankActivity first, second;
  second.rank = 1;
  const auto typical = FindTypicalSteps(
      {StepsOf(first, {10, 10, 10, 16, 10, 10}), StepsOf(second, {10, 10, 10, 14, 10, 10})});
  EXPECT_EQ(typical.slow, 1);
  for (const RankSteps& rank : typical.ranks) EXPECT_EQ(rank.steps.size(), 5u);
}

// Means of ranks are of the same steps.
TEST(TypicalSteps, WarmUpOfOneRankIsLeftOutOnAll) {
  RankActivity first, second;
  second.rank = 1;
  const auto typical = FindTypicalSteps(
      {StepsOf(first, {40, 10, 10, 10, 10, 10}), StepsOf(second, {12, 10, 10, 10, 10, 10})});
  EXPECT_EQ(typical.warm_up, 1);
  for (const RankSteps& rank : typical.ranks) EXPECT_EQ(rank.steps.size(), 5u);
}

// As of a cache that is filled in the first three steps.
TEST(TypicalSteps, AFirstStepThatTheNextIsLikeIsNoWarmUp) {
  RankActivity activity;
  EXPECT_FALSE(BeginsWithWarmUp(StepsOf(activity, {20, 21, 24, 9, 9, 8, 10, 7, 7, 7, 6, 8})));
  EXPECT_TRUE(BeginsWithWarmUp(StepsOf(activity, {40, 20, 9, 9, 8, 10, 7, 7, 7, 6, 8})));
}

// Two runs of one job would differ by how many of its checkpoints are exceptions.
TEST(TypicalSteps, OnesAtOneIntervalArePartOfWhatStepsTake) {
  EXPECT_EQ(SlowAmong({10, 10, 30, 10, 10, 10, 10, 30, 10, 10, 10, 10, 30, 10, 10}), 0);
  EXPECT_EQ(SlowAmong({10, 10, 30, 10, 10, 10, 10, 30, 10, 10, 10, 30, 10, 10, 10}), 3);
  EXPECT_EQ(SlowAmong({10, 10, 30, 30, 30, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}), 3) << "a row";
  EXPECT_EQ(SlowAmong({10, 10, 30, 10, 30, 10, 30, 10, 10, 10, 10, 10, 10, 10, 10}), 3) << "over";
}

// Rank 0 waits for each checkpoint of rank 1, a step later: half of all steps are slow, and one of
// them takes four times as long.
TEST(TypicalSteps, OnesAtOneIntervalOnOneRankCountHoweverLongOneIs) {
  RankActivity first, second;
  second.rank = 1;
  const auto typical =
      FindTypicalSteps({StepsOf(first, {10, 10, 10, 30, 10, 10, 10, 45, 10, 10, 10, 28, 10, 10}),
                        StepsOf(second, {10, 10, 30, 10, 10, 10, 48, 10, 10, 10, 29, 10, 10, 10})});
  EXPECT_EQ(typical.slow, 0);
}

}  // namespace
}  // namespace stepscope
