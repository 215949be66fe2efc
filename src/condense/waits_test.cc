// Lets work wait for work of another stream, and looks at what a partial keeps of that.
#include "condense/waits.h"

#include <gtest/gtest.h>

#include "condense/blocks.h"

namespace stepscope::waits_test {
namespace {

// A kernel, then communication for which no record says that it waited; but its launch came later.
RankActivity RankWithLaunches(int64_t communication_launched) {
  RankActivity rank;
  rank.devices = {0};
  rank.streams = {{.device = 0, .stream = 7}, {.device = 0, .stream = 20}};
  rank.host->calls.Append({.start = 1, .end = 2});
  rank.host->calls.Append({.start = communication_launched, .end = communication_launched + 1});
  rank.activities.Append({.start = 10, .end = 20, .launched = 1, .call = 0});
  rank.activities.Append({.start = 21, .end = 40, .launched = 30, .call = 0});
  rank.activities.Append({.start = 41,
                          .end = 60,
                          .launched = communication_launched,
                          .stream = 1,
                          .call = 1,
                          .kind = Kind::kCommunication});
  return rank;
}

TEST(Waits, OfCommunicationAreForTheKernelLaunchedBefore) {
  const StringTable names;
  const KeptWaits kept = WaitsToKeep(RankWithLaunches(5), names);
  ASSERT_EQ(kept.waits.size(), 1u);
  EXPECT_EQ(kept.waits[0].waiting, 2u);
  EXPECT_EQ(kept.waits[0].since, 20);
  EXPECT_FALSE(kept.all);
  EXPECT_EQ(WaitsToKeep(RankWithLaunches(31), names).Of(2)->since, 40);
}

// Blocks that follow one another without a pause end where communication waited for the first.
TEST(Waits, KeepBlocksApart) {
  RankActivity rank = RankWithLaunches(5);
  const StringTable names;
  const auto blocks =
      BlocksOf(rank, rank.ActivitiesByDevice().front(), WaitsToKeep(rank, names)).blocks;
  EXPECT_TRUE(std::ranges::any_of(blocks, [](const WorkBlock& b) { return b.end == 20; }));
}

}  // namespace
}  // namespace stepscope::waits_test
