// Asks about a job with two troubles at once, on different ranks: a rank computes slowly, and a
// host waits for its input.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "report/findings.h"
#include "tests/support/demo_job.h"

namespace stepscope::two_causes_test {
namespace {

struct Answer {
  ReportSet answer;
  double step = 0;  // ns: mean step
};

Answer AnswerTo(DemoOptions options) {
  options.stacks = false;
  options.layers = 2;
  testing::DemoJob job;
  testing::MakeDemoJob(options, job);
  double sum = 0;
  const auto steps = testing::RowsOf(job.answer, "steps", "breakdown");
  for (const testing::Row& row : steps) sum += static_cast<double>(row.Int("step_time"));
  return {std::move(job.answer), sum / static_cast<double>(steps.size())};
}

Answer AnswerTo(int slow_rank, int slow_host, int64_t since = 0) {
  DemoOptions options{.ranks = 32, .steps = 5, .slow_rank = slow_rank, .slow_since = since};
  options.slow_host = slow_host;
  options.ranks_per_host = 8;
  return AnswerTo(options);
}

// The host is waited for anyway when the rank is mended; without the host the rank is.
TEST(TwoCauses, AreNamedAndPricedTogether) {
  const Answer both = AnswerTo(21, 1);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  const std::string words = first->message.str();
  EXPECT_TRUE(
      words.starts_with("Ranks 8 to 15 of host host-0001 and rank 21 of host host-0002 "
                        "together hold the job up: "))
      << words;
  EXPECT_TRUE(words.ends_with(" of it by ranks 8 to 15 of host host-0001 alone.")) << words;
  ASSERT_TRUE(first->worth.has_value());
  EXPECT_NEAR(static_cast<double>(first->worth->saved), both.step - AnswerTo(-1, -1).step, 1e6);
  const double alone = 1e6 * std::stod(words.substr(words.rfind(", ") + 2));
  EXPECT_NEAR(alone, both.step - AnswerTo(21, -1).step, 0.5e6) << words;
  EXPECT_EQ(first->where.ranks, (std::vector<int64_t>{8, 9, 10, 11, 12, 13, 14, 15, 21}));
  EXPECT_TRUE(first->because.contains("the own work of ranks 8 to 15 takes "))
      << first->because.str();
}

// Alone, the rank costs nothing: the host is waited for, before and since.
TEST(TwoCauses, OneOfThemSinceAStep) {
  const Answer both = AnswerTo(21, 1, 5);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->message.contains(
      "Ranks 8 to 15 of host host-0001 and rank 21 of host host-0002 since step 5 together hold "))
      << first->message.str();
  ASSERT_TRUE(first->worth.has_value());
  EXPECT_NEAR(static_cast<double>(first->worth->saved), both.step - AnswerTo(-1, -1).step, 1e6);
}

// Of the ranks of a slow host, one computes slowly, too: its device is to be looked at as well.
TEST(TwoCauses, OnOneRankOfAHost) {
  const Answer both = AnswerTo(9, 1);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->message.contains("Ranks 8 to 15 of host host-0001 together hold the job up"))
      << first->message.str();
  EXPECT_FALSE(first->message.contains("by input wait")) << first->message.str();
  EXPECT_TRUE(first->hint.contains("; rank 9: check clocks, temperature")) << first->hint.str();
}

// Each is waited for where the other is not.
TEST(OneCause, OfTwoRanksIsNamedAndPricedTogether) {
  DemoOptions options{.ranks = 8, .steps = 5, .slow_rank = 3};
  options.other_slow_ranks = {6};
  const Answer both = AnswerTo(options);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  const std::string words = first->message.str();
  EXPECT_TRUE(words.starts_with("Ranks 3 and 6 together hold the job up: ")) << words;
  EXPECT_TRUE(words.ends_with(", by longer kernels.")) << words;
  for (const Finding* other : FindingsInOrder(both.answer)) {
    EXPECT_TRUE(other == first || !other->message.contains("ank 3")) << other->message.str();
    EXPECT_TRUE(other == first || !other->message.contains("mbalance")) << other->message.str();
  }
  options.other_slow_ranks = {};
  EXPECT_NEAR(AnswerTo(options).step, both.step, 0.02 * both.step) << "mending one saves nothing";
  options.slow_rank = -1;
  ASSERT_TRUE(first->worth.has_value());
  EXPECT_NEAR(static_cast<double>(first->worth->saved), both.step - AnswerTo(options).step, 1e6);
}

}  // namespace
}  // namespace stepscope::two_causes_test
