// Tests memory against PyTorch's TensorBoard plugin (torch_tb_profiler 0.4.3).
//
// ../shared/goldens/tb_plugin holds what its memory view shows. Compared are the peak, what
// operators allocate themselves, and which blocks are never given back. Its sizes are kilobytes of
// 1024, with two decimals. Columns that count an operator's children too have no like here.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::tb_plugin_memory_test {
namespace {

using Json = nlohmann::json;
using TbPluginMemory = SharedDataTest;

Json ReadGolden(const std::string& name) {
  std::ifstream in(Shared("goldens/tb_plugin/" + name));
  return Json::parse(in);
}

double Kilobytes(int64_t bytes) { return static_cast<double>(bytes) / 1024; }

// Rows of the plugin's statistics: name, calls, increase, own increase, allocations, own
// allocations, size, own size.
void CompareOperators(const std::vector<Row>& rows, const Json& theirs) {
  ASSERT_FALSE(theirs.empty());
  std::map<std::string, const Row*> ours;
  for (const Row& row : rows) ours[row.Text("operator")] = &row;
  for (const Json& row : theirs) {
    const auto name = row[0].get<std::string>();
    SCOPED_TRACE(name);
    const auto at = ours.find(name);
    if (at == ours.end()) {  // nothing of its own
      EXPECT_EQ(row[5], 0);
      EXPECT_EQ(row[7], 0.0);
      continue;
    }
    EXPECT_NEAR(Kilobytes(at->second->Int("increase")), row[3].get<double>(), 0.0051);
    EXPECT_EQ(at->second->Int("allocations"), row[5].get<int64_t>());
    EXPECT_NEAR(Kilobytes(at->second->Int("allocated")), row[7].get<double>(), 0.0051);
  }
}

// The rows of one device of one recording.
std::vector<Row> RowsOn(const std::vector<Row>& all, int64_t rank, int64_t window,
                        const Cell& device) {
  std::vector<Row> rows;
  for (const Row& row : all) {
    const bool here = row.Int("rank") == rank && row.Int("window") == window;
    if (here && row.At("device") == device) rows.push_back(row);
  }
  return rows;
}

TEST_F(TbPluginMemory, PeakAndBlocksOfTwoWorkers) {
  const Json golden = ReadGolden("two_workers_synthetic.json");
  const ReportSet answer = AnswerTo({Shared("traces/kineto/two_workers_synthetic")});
  for (int64_t rank = 0; rank < 2; ++rank) {
    SCOPED_TRACE(rank);
    const Json& worker = golden["workers"]["worker_" + std::to_string(rank)];
    const std::string gpu = "GPU" + std::to_string(rank);
    const auto devices = RowsOn(RowsOf(answer, "memory_profile", "devices"), rank, 0, rank);
    ASSERT_EQ(devices.size(), 1u);
    double peak = 0;
    for (const Json& point : worker["memory_curve"]["rows"][gpu]) {
      peak = std::max(peak, point[1].get<double>());
    }
    EXPECT_DOUBLE_EQ(Kilobytes(devices[0].Int("peak")), peak);
    EXPECT_EQ(devices[0].Int("capacity"), 1'000'000);
    CompareOperators(RowsOn(RowsOf(answer, "memory_profile", "operators"), rank, 0, rank),
                     worker["memory_stats"]["rows"][gpu]);
    int64_t unreleased = 0, blocks = 0;
    for (const Json& block : worker["memory_events"]["rows"][gpu]) {
      ++blocks;
      unreleased += block[3].is_null() ? 1 : 0;
    }
    EXPECT_EQ(devices[0].Int("allocations"), blocks);
    const auto kept = RowsOn(RowsOf(answer, "memory_profile", "never_freed"), rank, 0, rank);
    EXPECT_EQ(SumOf(kept, "occurrences"), unreleased);
  }
}

TEST_F(TbPluginMemory, OperatorsOfResnet50) {
  const Json golden = ReadGolden("resnet50_workers0.json");
  const ReportSet answer = AnswerTo({Shared("traces/kineto/resnet50_workers0")});
  const auto operators = RowsOf(answer, "memory_profile", "operators");
  ASSERT_EQ(golden["spans"].size(), 2u);
  for (size_t span = 0; span < 2; ++span) {
    SCOPED_TRACE(span);
    const Json& statistics = golden["spans"][span]["memory_stats"];
    const auto window = static_cast<int64_t>(span);
    CompareOperators(RowsOn(operators, 0, window, int64_t{0}), statistics["GPU0"]["rows_top15"]);
    CompareOperators(RowsOn(operators, 0, window, "host"), statistics["CPU"]["rows_top15"]);
  }
}

}  // namespace
}  // namespace stepscope::testing::tb_plugin_memory_test
