// Plants a slow link between hosts, and asks which group it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "stepscope/demo.h"
#include "tests/front_door.h"

namespace stepscope::slow_groups_test {
namespace {

// Eight hosts of four ranks; ranks of equal place in their hosts reduce gradients together.
DemoOptions Job(int slow_link) {
  DemoOptions options{.ranks = 32, .slow_rank = -1, .layers = 2, .stacks = false};
  options.ranks_per_host = 4;
  options.slow_link = slow_link;
  return options;
}

Report CollectivesOf(const DemoOptions& options) {
  const testing::ScratchFolder folder;
  EXPECT_TRUE(WriteDemo(folder.path() + "/job", options).has_value());
  return testing::Ask({folder.path() + "/job"}, {.only = {"collectives"}})->reports.front();
}

TEST(SlowGroups, AreNamed) {
  const Report report = CollectivesOf(Job(3));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(
      report.findings.front().message.str(),
      "Collectives among 8 ranks (3 to 31) take 1.25 times as long as those of 3 groups like it.");
  EXPECT_GT(report.findings.front().impact, 0);
}

TEST(SlowGroups, AreNoneWhereAllAreAsFast) { EXPECT_TRUE(CollectivesOf(Job(-1)).findings.empty()); }

// A rank that is late makes others wait, and its group no slower.
TEST(SlowGroups, AreNotThoseOfALateRank) {
  DemoOptions options = Job(-1);
  options.slow_rank = 6;
  EXPECT_TRUE(CollectivesOf(options).findings.empty());
}

}  // namespace
}  // namespace stepscope::slow_groups_test
