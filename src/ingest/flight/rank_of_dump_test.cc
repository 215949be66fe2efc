// Tests which rank a file's name says.
#include "ingest/flight/rank_of_dump.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace stepscope::rank_of_dump_test {
namespace {

TEST(RankOfName, DatesAreNoRanks) {
  const std::pair<const char*, int64_t> kNames[] = {
      {"/dumps/nccl_trace_rank_12.pkl", 12},
      {"rank-12.node-07.json", 12},
      {"_dump_12", 12},
      {"fr_dump_2026-11-30_rank3", 3},
      {"nccl_trace_20261130_11_rank_3", 3},
      {"nccl_trace_rank_3_2026-11-11", 3},
      {"dump_3_2026-11-11", 3},
      {"dump_3_2026-11-11T10:15:02", 3},
      {"dump_3_20261130_101502.pkl", 3},
      {"3.20261130-101502.pkl", 3},
      {"dump_2026-11-30_10-15_3", 3},
      {"dump_2026-11-30_11", 11},
      {"dump_3.1764497000123", 3},
      {"dump_2026_3", 3},
  };
  for (const auto& [name, rank] : kNames) EXPECT_EQ(RankOfName(name), rank) << name;
  for (const char* name : {"dump_2026-11-30", "dump_20261130_101502", "dump"})
    EXPECT_EQ(RankOfName(name), std::nullopt) << name;
}

// "11" may be the hour; the groups of the dump say which number is the rank.
TEST(RankOfDump, TheContentDecidesBetweenNumbersOfTheName) {
  EXPECT_EQ(RankOfDump("dump_3_11", 3), 3);
  EXPECT_EQ(RankOfDump("dump_3_11", 11), 11);
  EXPECT_EQ(RankOfDump("dump_3_11", std::nullopt), 11);
  EXPECT_EQ(RankOfDump("rank_3", 7), 3);  // which contradicts its name
  EXPECT_EQ(RankOfDump("dump_2026-11-30", 7), 7);
  EXPECT_EQ(RankOfDump("dump", std::nullopt), -1);
}

}  // namespace
}  // namespace stepscope::rank_of_dump_test
