// Loses the trace of the rank that the others wait for: no other rank is accused instead.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "stepscope/demo.h"
#include "tests/front_door.h"

namespace stepscope::lost_culprit_test {
namespace {

// Three hosts of eight; ranks of equal place in their hosts reduce gradients together.
ReportSet WithoutRank(int lost, int slow) {
  const testing::ScratchFolder folder;
  DemoOptions options{.ranks = 24, .steps = 5, .slow_rank = slow, .layers = 2, .stacks = false};
  options.slow_factor = 1.5;
  options.ranks_per_host = 8;
  const std::string job = folder.path() + "/job";
  EXPECT_TRUE(WriteDemo(job, options).has_value());
  EXPECT_TRUE(std::filesystem::remove(job + "/rank-" + std::to_string(lost) + ".pt.trace.json.gz"));
  return *testing::Ask({job});
}

// Ranks 1 and 17 wait for rank 9 in their group, and so are the last to arrive in that of all.
TEST(LostCulprit, AccusesNobodyElse) {
  const ReportSet answer = WithoutRank(9, 9);
  EXPECT_FALSE(answer.verdict.contains("straggler")) << answer.verdict.str();
  EXPECT_TRUE(answer.verdict.contains("rank 9 has no trace")) << answer.verdict.str();
  for (const Report& report : answer.reports) {
    if (report.analysis != "stragglers") continue;
    EXPECT_TRUE(report.findings.empty());
    EXPECT_TRUE(report.headline.contains("may itself wait for ranks that have no trace"))
        << report.headline.str();
  }
}

TEST(LostCulprit, IsNotWhoeverElseIsMissing) {
  const ReportSet answer = WithoutRank(5, 9);
  EXPECT_TRUE(answer.verdict.contains("Rank 9 is a straggler")) << answer.verdict.str();
}

}  // namespace
}  // namespace stepscope::lost_culprit_test
