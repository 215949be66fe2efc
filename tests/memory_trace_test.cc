// A memory snapshot beside the trace of its process: allocations by operator, module and step.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stepscope/memory_snapshot.h"
#include "tests/scratch.h"
#include "tests/support/pickle_writer.h"

namespace stepscope::testing {
namespace memory_trace_test {

constexpr int64_t kBase = 1'750'000'000'000'000;  // us since the epoch

// Step 3 runs 100..200 us after the base, step 4 200..300. On another thread a backward runs in
// step 4.
constexpr std::string_view kEvents = R"("traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"python_function","name":"nn.Module: Linear_0","pid":1,"tid":1,"ts":108,"dur":62},
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":110,"dur":50},
{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":120,"dur":10},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":200,"dur":100},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":210,"dur":80},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":126,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":226,"dur":2,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":130,"dur":20,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"add","pid":0,"tid":7,"ts":230,"dur":20,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"X","cat":"cpu_op","name":"AddBackward0","pid":1,"tid":2,"ts":240,"dur":20}
]})";

std::string Trace(std::string_view base) { return "{" + std::string(base) + std::string(kEvents); }

const std::string kTrace =
    Trace(R"("schemaVersion": 1, "baseTimeNanoseconds": 1750000000000000000, )");

Pickled Alloc(int64_t address, int64_t size, int64_t time) {
  return Dict({{"action", "alloc"},
               {"addr", address},
               {"size", size},
               {"time_us", kBase + time},
               {"frames", List({})}});
}

// In linear, in empty within it, in no operator, in add, and in the backward that began after it.
std::string Snapshot() {
  std::vector<Pickled> blocks;
  for (int64_t i = 0; i < 6; ++i)
    blocks.push_back(Dict({{"address", 8192 * i},
                           {"size", 8192},
                           {"requested_size", 1000 * (i + 1)},
                           {"state", "active_allocated"},
                           {"frames", List({})}}));
  const auto segment = Dict({{"device", 0},
                             {"address", 0},
                             {"total_size", 6 * 8192},
                             {"allocated_size", 6 * 8192},
                             {"blocks", List(blocks)}});
  return Pickle(Dict(
      {{"segments", List({segment})},
       {"device_traces", List({List({Alloc(0, 1000, 50), Alloc(8192, 2000, 115),
                                     Alloc(2 * 8192, 3000, 125), Alloc(3 * 8192, 4000, 180),
                                     Alloc(4 * 8192, 5000, 220), Alloc(5 * 8192, 6000, 250)})})}}));
}

Result<Report> Ask(const ScratchFolder& folder, const std::string& trace) {
  MemorySnapshotOptions options;
  options.trace = folder.Write("traces/rank0.json", trace);
  const auto answer = ReadMemorySnapshot(folder.Write("memory.pickle", Snapshot()), options);
  if (!answer) return std::unexpected(answer.error());
  return answer->reports.front();
}

std::vector<std::vector<Cell>> RowsOf(const Report& report, std::string_view key) {
  for (const Table& table : report.tables)
    if (table.key == key) return table.rows;
  return {};
}

std::vector<std::string> Firsts(const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::string> firsts;
  for (const auto& row : rows) firsts.push_back(std::get<std::string>(row[0]));
  return firsts;
}

bool HasNote(const Report& report, std::string_view name) {
  for (const Note& note : report.notes)
    if (note.name == name) return true;
  return false;
}

TEST(MemoryTrace, AllocationsAreOfTheInnermostOperatorThen) {
  const ScratchFolder folder;
  const auto report = Ask(folder, kTrace);
  ASSERT_TRUE(report) << report.error().what;
  const auto rows = RowsOf(*report, "trace_operators");
  EXPECT_EQ(Firsts(rows), (std::vector<std::string>{"AddBackward0", "aten::add", "none",
                                                    "aten::empty", "aten::linear"}));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0][1], Cell(int64_t{6000}));  // requested at peak
  EXPECT_EQ(rows[2][3], Cell(int64_t{4000}));  // allocated in trace
  for (const Metric& metric : report->metrics) {
    if (metric.key != "in_trace") continue;
    EXPECT_EQ(metric.value, Cell(5.0 / 6));
  }
}

TEST(MemoryTrace, ModulesAndStepsComeFromTheTrace) {
  const ScratchFolder folder;
  const auto report = Ask(folder, kTrace);
  ASSERT_TRUE(report) << report.error().what;
  const auto modules = RowsOf(*report, "trace_modules");
  EXPECT_EQ(Firsts(modules), (std::vector<std::string>{"none", "Linear_0"}));
  EXPECT_EQ(modules[1][1], Cell(int64_t{5000}));
  const auto steps = RowsOf(*report, "steps");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0][0], Cell(int64_t{3}));
  EXPECT_EQ(steps[0][4], Cell(int64_t{9000}));
  EXPECT_EQ(steps[1][4], Cell(int64_t{11'000}));
}

TEST(MemoryTrace, ATraceOfAnotherTimeSaysSo) {
  const ScratchFolder folder;
  const auto report =
      Ask(folder, Trace(R"("schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, )"));
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_TRUE(RowsOf(*report, "trace_operators").empty());
  EXPECT_TRUE(HasNote(*report, "trace_elsewhere"));
}

TEST(MemoryTrace, ATraceThatDoesNotSayWhenIsNotJoined) {
  const ScratchFolder folder;
  const auto report = Ask(folder, Trace(R"("schemaVersion": 1, )"));
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_TRUE(RowsOf(*report, "trace_operators").empty());
  EXPECT_TRUE(HasNote(*report, "trace_without_clock"));
}

TEST(MemoryTrace, AFolderHoldsBoth) {
  const ScratchFolder folder;
  folder.Write("both/rank0.json", kTrace);
  const std::string snapshot = folder.Write("both/memory.pickle", Snapshot());
  EXPECT_EQ(FindMemorySnapshots(folder.path() + "/both"), std::vector{snapshot});
  const auto answer = ReadMemorySnapshot(folder.path() + "/both");
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(RowsOf(answer->reports.front(), "trace_operators").size(), 5u);
  folder.Write("both/second.pickle", Snapshot());
  EXPECT_FALSE(ReadMemorySnapshot(folder.path() + "/both"));  // which one?
}

TEST(MemoryTrace, OtherPicklesAreNoSnapshots) {
  const ScratchFolder folder;
  folder.Write("a.pickle", Pickle(Dict({{"entries", List({})}})));
  folder.Write("b.pickle", "text");
  folder.Write("c.txt", Snapshot());
  EXPECT_TRUE(FindMemorySnapshots(folder.path()).empty());
  EXPECT_TRUE(FindMemorySnapshots(folder.path() + "/nothing").empty());
}

}  // namespace memory_trace_test
}  // namespace stepscope::testing
