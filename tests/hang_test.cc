// Tests `stepscope hang` on real dumps of stuck jobs, and on damaged ones.
#include "stepscope/hang.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/columns.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"

namespace stepscope::testing::hang_test {
namespace {

std::vector<int64_t> RootsOf(const ReportSet& answer) {
  std::vector<int64_t> ranks;
  const Table& roots = answer.reports.at(0).tables.at(0);
  for (const auto& row : roots.rows) ranks.push_back(ColumnOf(roots, "rank").Int(row));
  return ranks;
}

std::string ReasonOf(const ReportSet& answer) {
  const Table& roots = answer.reports.at(0).tables.at(0);
  return ColumnOf(roots, "reason").Text(roots.rows.at(0));
}

class RealHangs : public SharedDataTest {};

TEST_F(RealHangs, InjectedFaultsAreTheRoots) {
  for (const auto& [name, reason] : {std::pair{"gpu_error_2nd", "device_not_finished"},
                                     std::pair{"lock_gil_1st", "host_not_arrived"}}) {
    const std::string folder = Shared("traces/hang") / name;
    const auto answer = FindHang(std::vector{folder});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    EXPECT_EQ(RootsOf(*answer), (std::vector<int64_t>{9, 14}));
    EXPECT_EQ(ReasonOf(*answer), reason);
  }
}

const std::string kDump = R"({"version": "2.10", "pg_config": {"0": {"name": "0",
  "desc": "default_pg", "ranks": "[0, 1]"}}, "pg_status": {}, "entries": [{"record_id": 0,
  "process_group": ["0", "default_pg"], "collective_seq_id": 1, "p2p_seq_id": 0,
  "profiling_name": "nccl:all_reduce", "time_created_ns": 5, "input_sizes": [[8]],
  "output_sizes": [[8]], "input_dtypes": ["Float"], "state": "scheduled", "retired": false,
  "is_p2p": false, "frames": [{"name": "step", "filename": "/job/train.py", "line": 7}]}]})";
const std::string kIdle = R"({"version": "2.10", "pg_config": {"0": {"name": "0",
  "desc": "default_pg", "ranks": "[0, 1]"}}, "pg_status": {}, "entries": []})";

TEST(HangFiles, DumpsAreToldByContentAmongOthers) {
  const ScratchFolder folder;
  folder.Write("a_rank_0", kDump);
  folder.Write("b_rank_1.json", kIdle);
  folder.Write("trace_rank_2.json", R"({"traceEvents": []})");
  folder.Write("notes_3.txt", "rank 3 is fine");
  folder.Write("model_4.pt", "PK\x03\x04");
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
  EXPECT_EQ(answer->verdict.str(),
            "Rank 1 stopped the job: its host did not arrive at all_reduce 1 of group default_pg.");
  EXPECT_EQ(answer->run.files.size(), 2U);
}

TEST(HangFiles, DamagedDumpsAreNotesAndMissing) {
  for (size_t length = 40; length < kIdle.size(); length += 7) {
    const ScratchFolder folder;
    folder.Write("rank_0", kDump);
    folder.Write("rank_1", kIdle.substr(0, length));
    const auto answer = FindHang(std::vector{folder.path()});
    ASSERT_TRUE(answer.has_value()) << answer.error().what;
    EXPECT_EQ(RootsOf(*answer), std::vector<int64_t>{1});
    EXPECT_EQ(ReasonOf(*answer), "dump_missing");
  }
}

TEST(HangFiles, NothingToReadIsAnError) {
  const ScratchFolder folder;
  EXPECT_FALSE(FindHang({}).has_value());
  EXPECT_FALSE(FindHang(std::vector{folder.path()}).has_value());
  EXPECT_FALSE(FindHang(std::vector{folder.path() + "/none"}).has_value());
  folder.Write("rank_0", "");
  folder.Write("rank_1",
               "\x80\x02"
               "cos\nsystem\n(S'true'\ntR.");
  const auto answer = FindHang(std::vector{folder.path()});
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(answer.error().what.contains("GLOBAL")) << answer.error().what;
}

TEST(HangFiles, WrongTypesAreAbsentValues) {
  for (const std::string value : {"7", "-1", "\"x\"", "null", "[]", "{}", "[[[[1]]]]", "1e300"}) {
    for (const std::string key :
         {"process_group", "collective_seq_id", "profiling_name", "input_sizes", "state", "frames",
          "is_p2p", "record_id", "pg_config", "pg_status", "version", "entries", "ranks"}) {
      const ScratchFolder folder;
      std::string damaged = kDump;
      damaged.insert(damaged.size() - 1, ", \"" + key + "\": " + value);
      const size_t at = damaged.find("\"" + key + "\": ");
      damaged.insert(at, "\"" + key + "\": " + value + ", ");
      folder.Write("rank_0", damaged);
      folder.Write("rank_1", kIdle);
      const auto answer = FindHang(std::vector{folder.path()});
      if (answer) continue;
      EXPECT_FALSE(answer.error().what.empty());
    }
  }
}

}  // namespace
}  // namespace stepscope::testing::hang_test
