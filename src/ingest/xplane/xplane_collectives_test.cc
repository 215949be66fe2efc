// Tests replica groups: lists, transposed numbers, and what cannot be.
#include "ingest/xplane/xplane_collectives.h"

#include <gtest/gtest.h>

namespace stepscope::xplane_collectives_test {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

TEST(ReplicaGroups, AreListsThatHoldEachReplicaOnce) {
  const ReplicaGroups groups{.lists = {{0, 2}, {3, 1}}};
  EXPECT_EQ(groups.GroupSize(), 2);
  EXPECT_EQ(groups.Covering(4), groups.lists);
  EXPECT_TRUE(groups.Covering(5).empty());
  EXPECT_TRUE(ReplicaGroups({.lists = {{0, 1}, {1, 2}}}).Covering(4).empty());
  EXPECT_EQ(ReplicaGroups({.lists = {{0, 1}, {2}}}).GroupSize(), -1);
  EXPECT_EQ(ReplicaGroups().GroupSize(), -1);
}

// [2,4]<=[4,2]T(1,0): 0..7 in four rows of two, read by columns.
TEST(ReplicaGroups, AreCutFromTransposedNumbers) {
  const ReplicaGroups columns{.count = 2, .size = 4, .dimensions = {4, 2}, .order = {1, 0}};
  EXPECT_EQ(columns.Covering(8), (Lists{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(columns.GroupSize(), 4);
  const ReplicaGroups rows{.count = 4, .size = 2, .dimensions = {8}, .order = {0}};
  EXPECT_EQ(rows.Covering(8), (Lists{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(ReplicaGroups, ThatCannotBeAreNone) {
  const int64_t huge = INT64_MAX;
  const ReplicaGroups odd[] = {
      {.count = 2, .size = 4, .dimensions = {4, 2}, .order = {0, 0}},
      {.count = 2, .size = 4, .dimensions = {4}, .order = {0}},
      {.count = 2, .size = 4, .dimensions = {-4, -2}, .order = {0, 1}},
      {.count = huge, .size = huge, .dimensions = {huge, huge}, .order = {0, 1}},
      {.count = 2, .size = 4, .dimensions = {4, 2}, .order = {7, huge}}};
  for (const ReplicaGroups& groups : odd) EXPECT_TRUE(groups.Covering(8).empty());
  EXPECT_TRUE(ReplicaGroups({.count = huge, .size = 1, .dimensions = {huge}, .order = {0}})
                  .Covering(huge)
                  .empty());
}

TEST(CollectiveOfOpcode, TakesStartsForTheirCollective) {
  EXPECT_EQ(CollectiveOfOpcode("all-reduce-start"), "all-reduce");
  EXPECT_EQ(CollectiveOfOpcode("reduce-scatter"), "reduce-scatter");
  EXPECT_EQ(CollectiveOfOpcode("all-reduce-done"), "");
  EXPECT_EQ(CollectiveOfOpcode("fusion"), "");
}

}  // namespace
}  // namespace stepscope::xplane_collectives_test
