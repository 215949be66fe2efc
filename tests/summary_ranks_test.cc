// Tests which ranks the first screen shows, and which are "others".
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/summary.h"
#include "tests/support/demo_job.h"

namespace stepscope::testing::summary_ranks_test {
namespace {

std::vector<std::string> TitlesOf(const ReportSet& answer) {
  std::vector<std::string> titles;
  for (const SummaryRanks::Row& row : Summarize(answer).ranks.rows)
    titles.push_back(row.title.str());
  return titles;
}

TEST(SummaryRanks, ThoseThatTheFirstSentenceNamesAreNoOthers) {
  DemoOptions options{.ranks = 16, .steps = 4, .slow_rank = -1, .layers = 2, .stacks = false};
  options.ranks_per_host = 4;
  options.slow_host = 2;
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  EXPECT_EQ(TitlesOf(job.answer),
            (std::vector<std::string>{"ranks 8 to 11, median", "12 others, median"}));
}

// For another reason.
TEST(SummaryRanks, ARankBesideThoseOfAHostHasItsOwnRow) {
  DemoOptions options{.ranks = 16, .steps = 4, .slow_rank = 14, .layers = 2, .stacks = false};
  options.ranks_per_host = 4;
  options.slow_host = 2;
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  const std::vector<std::string> titles = TitlesOf(job.answer);
  ASSERT_GE(titles.size(), 3u);
  EXPECT_EQ(titles[0], "ranks 8 to 11, median");
  EXPECT_EQ(titles[1], "rank 14");
}

TEST(SummaryRanks, AFewAreShownOneByOne) {
  DemoOptions options{.ranks = 8, .steps = 4, .slow_rank = 2, .layers = 2, .stacks = false};
  options.other_slow_ranks = {6};
  DemoJob job;
  ASSERT_NO_FATAL_FAILURE(MakeDemoJob(options, job));
  const std::vector<std::string> titles = TitlesOf(job.answer);
  ASSERT_EQ(titles.size(), 3u);
  EXPECT_EQ(titles[2], "6 others, median");
}

}  // namespace
}  // namespace stepscope::testing::summary_ranks_test
