// Tests which steps are typical: without warm-up, and without exceptions.
#include "facts/derived/steps/step_categories.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace stepscope {
namespace {

// How many steps of these times are left out as slow; `since`: step time changes at this one.
int64_t SlowAmong(const std::vector<int64_t>& times, std::optional<int64_t> since = {}) {
  const RankActivity activity;
  RankSteps rank{.rank = &activity};
  int64_t at = 0;
  for (const int64_t time : times) {
    StepBreakdown& step = rank.steps.emplace_back();
    step.window = {.number = at, .start = at, .end = at + time};
    at += time;
  }
  return FindTypicalSteps({rank}, since).slow;
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

TEST(TypicalSteps, WhereStepTimeChangesStepsAreComparedWithTheirOwnTime) {
  const std::vector<int64_t> times = {10, 10, 10, 10, 10, 30, 10, 10, 20, 20, 20, 20, 20};
  EXPECT_EQ(SlowAmong(times), 0) << "almost half of them are slow";
  EXPECT_EQ(SlowAmong(times, 8), 1);
}

}  // namespace
}  // namespace stepscope
