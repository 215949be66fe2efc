// Tests which steps are typical: without warm-up, and without exceptions.
#include "facts/derived/steps/step_categories.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// How many steps of these times are left out as slow.
int64_t SlowAmong(const std::vector<int64_t>& times) {
  const RankActivity activity;
  RankSteps rank{.rank = &activity};
  int64_t at = 0;
  for (const int64_t time : times) {
    StepBreakdown& step = rank.steps.emplace_back();
    step.window = {.number = at, .start = at, .end = at + time};
    at += time;
  }
  return FindTypicalSteps({rank}).slow;
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
}

}  // namespace
}  // namespace stepscope
