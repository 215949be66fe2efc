// Tests ranks as people and tools write them into file names.
#include "ingest/rank_name.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stepscope::rank_name_test {
namespace {

TEST(RankFromPath, ReadsTheUsualNames) {
  for (const auto& [path, rank] : std::vector<std::pair<const char*, int64_t>>{
           {"rank-3.pt.trace.json.gz", 3},
           {"rank_0.json.gz", 0},
           {"rank12.json", 12},
           {"job_rank3.json", 3},
           {"RANK7.json", 7},
           {"trace.rank=4.json", 4},
           {"rank 5.json", 5},
           {"worker3.1623143089861.pt.trace.json", 3},
           {"worker_1.1700000000000.pt.trace.json", 1},
           {"worker0_step_12.1694128201545.pt.trace.json.gz", 0},
           {"world8_rank-007.json", 7},
           {"/data/run/rank_3/trace.json", 3},
           {"rank_3/trace.json", 3},
           {"worker2/trace.json.gz", 2},
           {"/data/rank_3/rank_4.json", 4},      // the file's own name first
           {"worker9_rank2.json", 2},            // a rank before a worker
           {"ranks/rank_of_run_rank1.json", 1},  // the last one that has a number
       }) {
    EXPECT_EQ(RankFromPath(path), rank) << path;
  }
}

TEST(RankFromPath, FindsNoneWhereNoneIs) {
  for (const char* path :
       {"", "/", "trace.json", "3.json", "rank.json", "ranking.json", "rank--3.json", "rank_x.json",
        "worker", "rank", "rank_", "/data/rank_3/deeper/trace.json",
        "rank99999999999999999999.json", "franken.json"}) {
    EXPECT_EQ(RankFromPath(path), std::nullopt) << path;
  }
}

TEST(ProcessOfSnapshot, IsWhatComesBeforeTheNumber) {
  EXPECT_EQ(ProcessOfSnapshot("run/host_9012.window-0003.xplane.pb"), "run/host_9012");
  EXPECT_EQ(ProcessOfSnapshot("a.b.window-12345.xplane.pb.gz"), "a.b");
  for (const char* other : {"", "host_9012.xplane.pb", "a.window-.xplane.pb", "a.window-1.json",
                            "a.window-1x.xplane.pb", "run.window-1/a.xplane.pb"})
    EXPECT_EQ(ProcessOfSnapshot(other), "") << other;
}

}  // namespace
}  // namespace stepscope::rank_name_test
