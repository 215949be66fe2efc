// Tests real traces against an independent reading of the same definitions, to the nanosecond.
//
// ../shared/goldens/oracle holds, for each trace, what a slow and plain program finds in it.
// Compared is all of it but one number no analysis tells: how many lines of metadata a trace holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/invariants.h"
#include "tests/shared_data.h"

namespace stepscope::testing::real_traces_test {
namespace {

using Json = nlohmann::json;

Json ReadGolden(const std::string& path) {
  std::ifstream in(path);
  return Json::parse(in);
}

int64_t Int(const Json& object, const char* key) { return object.at(key).get<int64_t>(); }
std::string Text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

// One recording among the files of an answer, and what the oracle says about it.
class Comparison {
 public:
  Comparison(const ReportSet& answer, const InputFile& file, const Json& golden)
      : answer_(answer), file_(file), golden_(golden) {}

  void CompareFile() {
    Same("gpu_events", file_.gpu_events, golden_["gpu_events"]);
    if (!golden_["rank"].is_null()) Same("rank", file_.rank, golden_["rank"]);
    // Ours are the events that are no metadata.
    EXPECT_LE(Int(golden_, "complete_events"), file_.events);
    EXPECT_GE(Int(golden_, "events"), file_.events);
    int64_t without_launch = 0;
    for (const Note& note : answer_.run.notes) {
      if (note.name == "without_launch" && note.where == file_.path) without_launch += note.count;
    }
    if (golden_.contains("launch_stats")) {
      Same("events with a launch", file_.gpu_events - without_launch,
           golden_["launch_stats"]["gpu_events_with_launch"]);
    }
  }

  void CompareTimes() {
    const Json& temporal = golden_["temporal_breakdown"];
    const auto times = Mine("temporal_breakdown", "ranks");
    ASSERT_EQ(times.size(), 1u);
    for (const auto& [key, value] : temporal.items()) Same(key, times[0].Int(key), value);

    const Json& overlap = golden_["comm_overlap"];
    const auto communication = Mine("comm_overlap", "ranks");
    if (Int(overlap, "communication") == 0 && communication.empty()) return;
    ASSERT_EQ(communication.size(), 1u);
    for (const char* key : {"communication", "overlapped"}) {
      Same(key, communication[0].Int(key), overlap[key]);
    }
  }

  void CompareIdle() {
    const auto streams = Mine("idle_time", "streams");
    Same("streams", static_cast<int64_t>(streams.size()),
         static_cast<int64_t>(golden_["idle_time"].size()));
    for (const Json& expected : golden_["idle_time"]) {
      const auto stream = std::ranges::find_if(streams, [&](const Row& row) {
        return row.Int("device") == Int(expected, "device") &&
               row.Int("stream") == Int(expected, "stream");
      });
      ASSERT_NE(stream, streams.end()) << expected;
      for (const char* key : {"events", "host_wait", "kernel_wait", "other"}) {
        Same(key, stream->Int(key), expected[key]);
      }
    }
  }

  void CompareLaunches() {
    const Json& golden = golden_["launch_stats"];
    int64_t linked = 0, delays = 0, shorts = 0;
    for (const Row& row : Mine("launch_stats", "ranks")) {
      linked += row.Int("with_launch");
      shorts += row.Int("short_kernels");
      if (row.Has("delay_sum")) delays += row.Int("delay_sum");
    }
    Same("gpu_events_with_launch", linked, golden["gpu_events_with_launch"]);
    Same("launch_delay_sum", delays, golden["launch_delay_sum"]);
    Same("short_kernels", shorts, golden["short_kernels"]);
  }

  // Only for a rank with one window: kernels are told by rank.
  void CompareKernels() {
    const Json& golden = golden_["kernel_breakdown"];
    std::vector<Row> kernels;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      if (row.Int("rank") == file_.rank) kernels.push_back(row);
    }
    Same("kernels", static_cast<int64_t>(kernels.size()), golden["kernels"]);
    ASSERT_GE(kernels.size(), golden["top"].size());
    for (size_t k = 0; k < golden["top"].size(); ++k) {
      const Json& expected = golden["top"][k];
      EXPECT_EQ(kernels[k].Text("name"), Text(expected, "name")) << "kernel " << k;
      EXPECT_EQ(kernels[k].Text("kind"), Text(expected, "kind")) << "kernel " << k;
      for (const char* key : {"count", "sum", "min", "max"}) {
        Same(key, kernels[k].Int(key), expected[key]);
      }
    }
    for (const auto& [kind, expected] : golden["kind_sum"].items()) {
      int64_t sum = 0;
      for (const Row& row : kernels) sum += row.Text("kind") == kind ? row.Int("sum") : 0;
      Same(kind, sum, expected);
    }
    int64_t memory = 0;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kinds")) {
      const bool mine = row.At("rank") == Cell(file_.rank);
      if (mine && row.Text("kinds").contains("memory")) memory += row.Int("time");
    }
    Same("memory", memory, golden_["comm_overlap"]["memory"]);
  }

 private:
  std::vector<Row> Mine(std::string_view analysis, std::string_view table) {
    auto rows = RowsOf(answer_, analysis, table);
    std::erase_if(rows, [&](const Row& row) {
      return row.Int("rank") != file_.rank || row.Int("window") != file_.window;
    });
    return rows;
  }

  void Same(std::string_view what, int64_t ours, const Json& golden) {
    EXPECT_EQ(ours, golden.get<int64_t>()) << what << " of " << file_.path;
  }

  const ReportSet& answer_;
  const InputFile& file_;
  const Json& golden_;
};

class OracleTest : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OracleTest);

TEST_P(OracleTest, AgreesToTheNanosecond) {
  const Json golden = ReadGolden(GetParam());
  const ReportSet answer = AnswerTo({Shared("traces") / Text(golden, "trace")});
  EXPECT_EQ(BrokenInvariants(answer), std::vector<std::string>{});
  Comparison comparison(answer, answer.run.files.at(0), golden);
  comparison.CompareFile();
  // The oracle knows accelerators only; tests/cpu_job_test.cc has jobs that compute on their hosts.
  if (Text(golden, "trace").starts_with("hta/cpu_only")) GTEST_SKIP() << "computes on its host";
  if (Int(golden, "gpu_events") == 0) {
    for (const Report& report : answer.reports) {
      // These tell of the host too.
      constexpr std::array<std::string_view, 12> kOfTheHost = {
          "overview",         "breakdown",       "steps",          "input_pipeline",
          "user_annotations", "memory_timeline", "memory_profile", "cupti_counters",
          "phases",           "operators",       "python",         "modules"};
      if (std::ranges::find(kOfTheHost, report.analysis) != kOfTheHost.end()) continue;
      EXPECT_EQ(report.status, Status::kUnavailable) << report.analysis;
    }
    return;
  }
  const bool communicates = Int(golden.at("comm_overlap"), "communication") > 0;
  EXPECT_EQ(ReportOf(answer, "comm_overlap").status,
            communicates ? Status::kOk : Status::kUnavailable);
  comparison.CompareTimes();
  comparison.CompareIdle();
  comparison.CompareLaunches();
  comparison.CompareKernels();
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(RealTrace, OracleTest, ::testing::ValuesIn(SharedFiles("goldens/oracle")),
                         TestName);

// The golden numbers of a file, by the path the oracle knows it under.
Json GoldenOf(const InputFile& file) {
  const std::string trace = std::filesystem::relative(file.path, Shared("traces"));
  for (const std::string& path : SharedFiles("goldens/oracle")) {
    Json golden = ReadGolden(path);
    if (Text(golden, "trace") == trace) return golden;
  }
  return nullptr;
}

using RealTraces = SharedDataTest;

// Several traces opened at once say of each what it says alone.
TEST_F(RealTraces, EightRanksOfOneJobAreEightTraces) {
  const ReportSet answer = AnswerTo({Shared("traces/param/dlrm_8ranks")});
  EXPECT_EQ(answer.run.ranks, 8);
  ASSERT_EQ(answer.run.files.size(), 8u);
  EXPECT_EQ(BrokenInvariants(answer), std::vector<std::string>{});
  for (int64_t rank = 0; rank < 8; ++rank) {
    const InputFile& file = answer.run.files[static_cast<size_t>(rank)];
    EXPECT_EQ(file.rank, rank);
    const Json golden = GoldenOf(file);
    ASSERT_FALSE(golden.is_null()) << file.path;
    Comparison comparison(answer, file, golden);
    comparison.CompareFile();
    comparison.CompareTimes();
    comparison.CompareIdle();
    comparison.CompareLaunches();
    comparison.CompareKernels();
  }
}

// Eight old traces without sequence numbers: the ends of all collectives agree to some microseconds
// once they are aligned, though nothing says which belong together.
TEST_F(RealTraces, CollectivesOfOldTracesMatchByTheirEnds) {
  const ReportSet answer = AnswerTo({Shared("traces/param/dlrm_8ranks")});
  const auto ranks = RowsOf(answer, "collectives", "ranks");
  ASSERT_EQ(ranks.size(), 8u);
  for (const Row& row : ranks) {
    EXPECT_EQ(row.Int("matched"), 8);
    EXPECT_EQ(row.Int("unmatched"), 0);
    EXPECT_LE(row.Int("clock_error"), 5'000);
    EXPECT_LE(std::abs(row.Int("clock_offset")), 10'000);  // one machine
  }
  EXPECT_EQ(RowsOf(answer, "stragglers", "ranks").at(0).Int("rank"), 7);
}

// Of the exchanges of these two ranks of 128 most end apart: they are not matched by force.
TEST_F(RealTraces, WhatCannotBePlacedIsNotMatched) {
  const ReportSet answer = AnswerTo({Shared("traces/hta/two_ranks")});
  for (const Row& row : RowsOf(answer, "collectives", "ranks")) {
    EXPECT_EQ(row.Int("matched"), 2);
    EXPECT_EQ(row.Int("unmatched"), 8);
  }
  EXPECT_TRUE(ReportOf(answer, "stragglers").findings.empty());
}

// The worked example of nccl-tests' formula: 6,637,568 floats on two ranks in 2,636.669 us.
TEST_F(RealTraces, BandwidthIsInUnitsOfABillionBytes) {
  const ReportSet answer = AnswerTo({Shared("traces/hta/nccl")});
  const auto rows = RowsOf(answer, "collectives", "collectives");
  const auto row = std::ranges::find_if(rows, [](const Row& r) {
    return r.Has("bytes") && r.Int("bytes") == 4 * int64_t{6'637'568};
  });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->Text("operation"), "allreduce");
  EXPECT_DOUBLE_EQ(row->Real("algbw"), row->Real("busbw"));
}

TEST_F(RealTraces, TwoWindowsOfOneWorkerAreTwoWindowsOfOneRank) {
  const ReportSet answer = AnswerTo({Shared("traces/kineto/resnet50_workers0")});
  EXPECT_EQ(answer.run.ranks, 1);
  ASSERT_EQ(answer.run.files.size(), 2u);
  EXPECT_EQ(BrokenInvariants(answer), std::vector<std::string>{});
  for (const InputFile& file : answer.run.files) {
    const Json golden = GoldenOf(file);
    ASSERT_FALSE(golden.is_null()) << file.path;
    Comparison comparison(answer, file, golden);
    comparison.CompareTimes();
    comparison.CompareIdle();
    comparison.CompareLaunches();
  }
}

// What holds for every answer holds for real ones, whichever steps are selected. Of the folders
// here two have no annotations of steps.
TEST_F(RealTraces, KeepTheInvariantsWhicheverStepsAreSelected) {
  for (const char* folder :
       {"hta/nccl", "hta/ns_resolution", "hta/queue_length", "hta/trace_diff/control",
        "hta/trace_diff/test", "hta/two_ranks", "kineto/resnet50_workers0",
        "kineto/two_workers_synthetic", "param/dlrm_8ranks", "param/resnet", "torch2/h100_qwen",
        "torch2/mi300_resnet_act_checkpoint"}) {
    const auto session = Session::Open(std::vector<std::string>{Shared("traces") / folder});
    ASSERT_TRUE(session) << session.error().what;
    bool has_steps = false;
    for (const char* steps : {"all", "complete", "0..1000000"}) {
      SCOPED_TRACE(std::string(folder) + " --steps " + steps);
      const auto answer = session->Analyze({.steps = steps});
      ASSERT_TRUE(answer) << answer.error().what;
      EXPECT_EQ(BrokenInvariants(*answer), std::vector<std::string>{});
      has_steps = has_steps || !RowsOf(*answer, "temporal_breakdown", "steps").empty();
      const bool answered = !RowsOf(*answer, "temporal_breakdown", "ranks").empty();
      EXPECT_EQ(answered, has_steps || std::string_view(steps) == "all");
    }
  }
}

// Numbers of a separate reading of the file: sums over its entries, by use.
TEST_F(SharedDataTest, AnExportedMemoryTimelineIsAddedUp) {
  const auto answer = AnswerTo({Shared("traces/hta/memory")});
  EXPECT_EQ(BrokenInvariants(answer), std::vector<std::string>{});
  const auto timelines = RowsOf(answer, "memory_timeline", "timelines");
  ASSERT_EQ(timelines.size(), 1u);
  const Row& all = timelines[0];
  EXPECT_EQ(all.Int("peak"), 3'082'832'104);
  EXPECT_EQ(all.Int("peak_time"), 98'424'324);
  EXPECT_EQ(all.Int("before"), 332'060'904);
  EXPECT_EQ(all.Int("last"), 332'060'904);
  EXPECT_EQ(all.Int("moments"), 7720);
  using Levels = std::array<int64_t, 4>;
  std::map<std::string, Levels> uses;
  for (const Row& row : RowsOf(answer, "memory_timeline", "uses")) {
    uses[row.Text("use")] = {row.Int("at_peak"), row.Int("highest"), row.Int("before"),
                             row.Int("last")};
  }
  const std::map<std::string, Levels> expected = {
      {"parameter", {102'440'608, 102'440'608, 102'440'608, 102'440'608}},
      {"optimizer state", {102'228'128, 102'228'128, 102'228'128, 102'228'128}},
      {"input", {19'395'584, 19'395'584, 19'395'584, 19'395'584}},
      {"temporary", {0, 129'024, 0, 0}},
      {"activation", {2'592'465'920, 2'746'497'024, 0, 128'000}},
      {"gradient", {67'858'432, 107'868'160, 0, 107'868'160}},
      {"autograd detail", {64'225'280, 256'901'120, 0, 0}},
      {"unknown", {134'218'152, 168'297'384, 107'996'584, 424}},
  };
  EXPECT_EQ(uses, expected);
  EXPECT_TRUE(answer.run.notes.empty());
}

}  // namespace
}  // namespace stepscope::testing::real_traces_test
