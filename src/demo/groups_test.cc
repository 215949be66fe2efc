// Tests the process groups of synthetic ranks.
#include "demo/groups.h"

#include <gtest/gtest.h>

namespace stepscope::demo::groups_test {
namespace {

TEST(GroupsOf, OneHostHasNoRails) {
  const DemoOptions options{.ranks = 8, .ranks_per_host = 8};
  const auto groups = GroupsOf(options, 3);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[kWorld].Listed(), "[0, 1, 2, 3, 4, 5, 6, 7]");
}

TEST(GroupsOf, RailsHaveTheRanksOfEqualPlaceInTheirHosts) {
  const DemoOptions options{.ranks = 12, .ranks_per_host = 4};
  const auto groups = GroupsOf(options, 6);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[kRail].name, "3");
  EXPECT_EQ(groups[kRail].Listed(), "[2, 6, 10]");
  EXPECT_EQ(groups[kRail].Config(),
            R"({"pg_name": "3", "pg_desc": "mesh_dp", "backend_config": "cuda:nccl", )"
            R"("pg_size": 3, "ranks": [2, 6, 10]})");
}

TEST(GroupsOf, LongGroupsAreCutOffInCollectives) {
  const DemoOptions options{.ranks = 40};
  EXPECT_TRUE(GroupsOf(options, 0)[kWorld].Listed().ends_with("27, 28, ..., 39]"));
}

}  // namespace
}  // namespace stepscope::demo::groups_test
