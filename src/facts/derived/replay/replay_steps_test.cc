// Tests which steps of a long recording are replayed.
#include "facts/derived/replay/replay_steps.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace stepscope::replay_steps_test {
namespace {

using Steps = std::pair<int64_t, int64_t>;

// Of steps 10, 11, ... in which there are so many millions of events.
Steps Chosen(size_t steps, size_t millions, std::optional<int64_t> since = std::nullopt) {
  std::vector<int64_t> numbers(steps);
  std::iota(numbers.begin(), numbers.end(), 10);
  const StepRun run = ChooseRun(numbers, millions * 1'000'000, since);
  EXPECT_TRUE(run.Has(run.first) && run.Has(run.last));
  return {run.first, run.last};
}

constexpr Steps kAll = {INT64_MIN, INT64_MAX};

TEST(ReplaySteps, OfFewEventsOrStepsAreAll) {
  EXPECT_EQ(Chosen(1000, 2), kAll);
  EXPECT_EQ(Chosen(16, 100), kAll);
}

TEST(ReplaySteps, OfManyEventsAreTheLastOnes) {
  EXPECT_EQ(Chosen(1000, 25), (Steps{930, 1009}));
  EXPECT_EQ(Chosen(1000, 2500), (Steps{994, 1009}));  // sixteen at least
}

TEST(ReplaySteps, OfAChangeAreAsManyBeforeAsSince) {
  EXPECT_EQ(Chosen(1000, 25, 510), (Steps{470, 549}));
  EXPECT_EQ(Chosen(1000, 25, 12), (Steps{10, 89}));
  EXPECT_EQ(Chosen(1000, 25, 1005), (Steps{930, 1009}));
}

}  // namespace
}  // namespace stepscope::replay_steps_test
