// Tests which rank of a circle is proven to have left the order of calls.
#include "hang/odd_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/played_hang.h"

namespace stepscope::hang::testing::odd_calls_test {
namespace {

std::vector<Operation>& ProgramOf(Case& one) {
  return one.job.programs[static_cast<size_t>(one.rank)];
}

void Skip(Case& one, int step, const char* name) {
  auto& program = ProgramOf(one);
  program.erase(program.begin() +
                static_cast<std::ptrdiff_t>(PlaceOf(one.job, one.rank, step, name)));
}

TEST(OddCalls, TheRankThatLeftACallOutIsProvenOfTheCircle) {
  for (const unsigned seed : {1U, 2U, 4U, 5U, 7U, 8U}) {
    Case one(seed, seed % 2 == 0 ? 1 : 3);
    Skip(one, seed % 4 < 2 ? 2 : 3, "all_to_all");
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
    EXPECT_TRUE(answer.Proven() && answer.Are(Reason::kOrderMismatch)) << seed;
  }
}

TEST(OddCalls, TheRankThatCallsAGroupTooEarlyIsProvenOfTheCircle) {
  for (const unsigned seed : {1U, 2U, 4U}) {
    Case one(seed, 1);
    auto& program = ProgramOf(one);
    const size_t at = PlaceOf(one.job, one.rank, 2, "all_to_all");
    std::swap(program[at], program[at + 1]);
    const Answer answer = one.Ask();
    EXPECT_EQ(answer.Roots(), std::vector<int64_t>{one.rank}) << seed;
    EXPECT_TRUE(answer.Proven()) << seed;
  }
}

// Too little was recorded before: one round, or nothing that is finished.
TEST(OddCalls, WithoutTwoRoundsBeforeNobodyIsProven) {
  for (const bool history : {true, false}) {
    Case one(2, 1);
    one.job.only_unfinished = !history;
    Skip(one, history ? 1 : 3, "all_to_all");
    const Answer answer = one.Ask();
    EXPECT_GT(answer.Roots().size(), 1U);
    EXPECT_TRUE(std::ranges::none_of(answer.judgement.roots, &Root::proven));
    EXPECT_TRUE(answer.Are(Reason::kCollectiveCycle));
  }
}

// One rank of a tensor group calls something of its own in every step, and its peer left that out.
TEST(OddCalls, ARankThatDifferedInEveryStepIsNotProven) {
  Case one(2, 1);
  one.job.groups.push_back({"99", "log", {0, 1}});
  for (const int rank : {0, 1}) {
    auto& program = one.job.programs[static_cast<size_t>(rank)];
    for (int step = 3; step >= 0; --step) {
      if (rank == 1 && step == 3) continue;
      const size_t at = PlaceOf(one.job, rank, step, "all_to_all");
      program.insert(program.begin() + static_cast<std::ptrdiff_t>(at),
                     {.group = one.job.groups.size() - 1, .name = "broadcast"});
    }
  }
  const Answer answer = one.Ask();
  const auto roots = answer.judgement.roots;
  EXPECT_FALSE(roots.empty());
  EXPECT_TRUE(std::ranges::none_of(
      roots, [](const Root& root) { return root.proven() && root.rank != 1; }));
}

}  // namespace
}  // namespace stepscope::hang::testing::odd_calls_test
