// Asks about jobs with two troubles at once, on different ranks, as a rank that computes slowly and
// a host that waits for its input; and about several ranks with one.
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

// Half of the steps are as before, so that no median tells what the host costs.
TEST(TwoCauses, OneOfThemSinceTheMiddle) {
  DemoOptions options{.ranks = 8, .steps = 8, .slow_rank = 6, .slow_since = 7};
  options.slow_host = 3;
  const Answer both = AnswerTo(options);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->message.contains("Rank 3 and rank 6 since step 7 together hold the job up: "))
      << first->message.str();
  EXPECT_TRUE(first->message.contains(" of it by rank 3 alone.")) << first->message.str();
}

// Stages wait for one another anyway, which is no reason why a host is late.
TEST(TwoCauses, AHostOfAPipelineIsNoPartOfItsBubble) {
  DemoOptions options{.ranks = 16, .steps = 5, .slow_rank = -1};
  options.ranks_per_host = 4;
  options.slow_host = 2;
  options.pipeline = 4;
  const Answer slow = AnswerTo(options);
  const Finding* first = testing::LeadingFinding(slow.answer);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->message.contains("Ranks 8 to 11 of host host-0002 together hold the job up: "))
      << first->message.str();
  options.slow_host = -1;
  ASSERT_TRUE(first->worth.has_value());
  EXPECT_NEAR(static_cast<double>(first->worth->saved), slow.step - AnswerTo(options).step, 1e6);
}

TEST(TwoCauses, OnTwoStagesOfAPipeline) {
  DemoOptions options{.ranks = 16, .steps = 5, .slow_rank = 2};
  options.other_slow_ranks = {14};
  options.pipeline = 4;
  const Answer both = AnswerTo(options);
  const Finding* first = testing::LeadingFinding(both.answer);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->message.contains("Ranks 2 and 14 together hold the job up: "))
      << first->message.str();
  options.slow_rank = -1;
  options.other_slow_ranks = {};
  ASSERT_TRUE(first->worth.has_value());
  // The job's step: ranks that run ahead at the start record shorter ones.
  EXPECT_NEAR(static_cast<double>(first->worth->step_time - first->worth->saved),
              AnswerTo(options).step, 0.02 * both.step);
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

// No rank does the work of a stage but those of its stage, which are all as slow.
TEST(OneCause, OfAStageNamesAllItsRanks) {
  DemoOptions options{.ranks = 8, .steps = 5, .slow_rank = 4};
  options.other_slow_ranks = {5, 6, 7};
  options.pipeline = 2;
  const Answer slow = AnswerTo(options);
  const Finding* stage = testing::FindFinding(slow.answer, "slow stage");
  ASSERT_NE(stage, nullptr);
  EXPECT_TRUE(stage->message.contains("Ranks 4 to 7 are the slow stage: ")) << stage->message.str();
  EXPECT_EQ(stage->where.ranks, (std::vector<int64_t>{4, 5, 6, 7}));
}

}  // namespace
}  // namespace stepscope::two_causes_test
