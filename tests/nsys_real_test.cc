// Tests real reports of Nsight Systems against SQL written by hand, to the nanosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/invariants.h"
#include "tests/nsys_database.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"

namespace stepscope::testing::nsys_real_test {
namespace {

using nlohmann::json;

constexpr auto kReports =
    std::to_array<const char*>({"mfu_2gpu_before.sqlite", "mfu_2gpu_after.sqlite"});

std::string PathOf(const std::string& name) { return Shared("traces/nsys/" + name).string(); }

class NsysReal : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(PathOf(GetParam()))) GTEST_SKIP() << "no ../shared";
  }
};

TEST_P(NsysReal, HoldsTheTimesOfTheGoldens) {
  const ReportSet answer = AnswerTo({PathOf(GetParam())});
  std::ifstream file(Shared("goldens/nsys.json"));
  const json golden = json::parse(file)[GetParam()];
  const auto times = RowsOf(answer, "temporal_breakdown", "ranks");
  const auto overlaps = RowsOf(answer, "comm_overlap", "ranks");
  ASSERT_EQ(times.size(), golden.size());
  for (const Row& row : times) {
    const json& device = golden[std::to_string(row.Int("rank"))];
    EXPECT_EQ(row.Int("span"), device["span_ns"]);
    EXPECT_EQ(row.Int("busy"), device["busy_ns"]);
    EXPECT_EQ(row.Int("compute"), device["compute_union_ns"]);
  }
  for (const Row& row : overlaps) {
    const json& device = golden[std::to_string(row.Int("rank"))];
    EXPECT_EQ(row.Int("communication"), device["comm_union_ns"]);
    EXPECT_EQ(row.Int("overlapped"), device["comm_compute_overlap_ns"]);
  }
}

// Of each kind the sum of durations and the count, by device and table.
TEST_P(NsysReal, HoldsTheRowsOfEachTable) {
  const std::string path = PathOf(GetParam());
  auto source = ByteSource::Open(path);
  ASSERT_TRUE(source);
  auto traces = ReadRecordings(std::move(*source));
  ASSERT_TRUE(traces);
  ASSERT_EQ(traces->size(), 2u);
  Database database(path);
  for (int64_t device = 0; device < 2; ++device) {
    const Trace& trace = (*traces)[static_cast<size_t>(device)].trace;
    std::map<Kind, std::pair<int64_t, int64_t>> sums;
    for (EventId e = 0; e < trace.size(); ++e) {
      auto& [count, sum] = sums[trace.kinds()[e]];
      ++count;
      sum += trace.durations()[e];
    }
    const auto expect = [&](std::initializer_list<Kind> kinds, const std::string& from) {
      int64_t count = 0, sum = 0;
      for (const Kind kind : kinds) {
        count += sums[kind].first;
        sum += sums[kind].second;
      }
      EXPECT_EQ((std::vector{count, sum}),
                database.Ask("SELECT count(*), sum(end - start) " + from))
          << from;
    };
    const auto on_device = fmt::format(" WHERE deviceId = {}", device);
    expect({Kind::kCompute, Kind::kCommunication}, "FROM CUPTI_ACTIVITY_KIND_KERNEL" + on_device);
    expect({Kind::kCommunication},
           "FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName" + on_device +
               " AND s.value LIKE 'nccl%'");
    expect({Kind::kMemcpy}, "FROM CUPTI_ACTIVITY_KIND_MEMCPY" + on_device);
    expect({Kind::kMemset}, "FROM CUPTI_ACTIVITY_KIND_MEMSET" + on_device);
    const std::string of_process = fmt::format(
        " WHERE globalTid >> 24 = (SELECT globalPid >> 24 FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE "
        "deviceId = {} LIMIT 1)",
        device);
    expect({Kind::kRuntime}, "FROM CUPTI_ACTIVITY_KIND_RUNTIME" + of_process);
    expect({Kind::kOperator, Kind::kAnnotation}, "FROM NVTX_EVENTS" + of_process);
    const auto first = database.Ask(
        "SELECT min(start) + (SELECT utcEpochNs - systemClockNs FROM "
        "TARGET_INFO_SESSION_START_TIME) "
        "FROM CUPTI_ACTIVITY_KIND_KERNEL" +
        on_device);
    int64_t earliest = INT64_MAX;
    for (EventId e = 0; e < trace.size(); ++e) {
      if (trace.kinds()[e] == Kind::kCompute || trace.kinds()[e] == Kind::kCommunication)
        earliest = std::min(earliest, trace.starts()[e]);
    }
    EXPECT_EQ(earliest, first[0]);
  }
}

TEST_P(NsysReal, ItsExportHasTheSameCollectives) {
  const ScratchFolder out;
  ASSERT_TRUE(Export(std::vector{PathOf(GetParam())}, {.folder = out.path()}));
  const ReportSet before = AnswerTo({PathOf(GetParam())}), after = AnswerTo({out.path()});
  for (const char* metric : {"match_rate", "wait_ratio"}) {
    EXPECT_EQ(std::get<double>(MetricOf(before, "collectives", metric)),
              std::get<double>(MetricOf(after, "collectives", metric)));
  }
}

TEST_P(NsysReal, NumbersAgreeWithEachOther) {
  const ReportSet answer = AnswerTo({PathOf(GetParam())});
  EXPECT_EQ(answer.run.ranks, 2);
  EXPECT_EQ(NoteCount(answer, "rank_from_device"), 2);
  EXPECT_EQ(NoteCount(answer, "unknown_category"), 0);
  for (const std::string& violation : BrokenInvariants(answer)) ADD_FAILURE() << violation;
}

INSTANTIATE_TEST_SUITE_P(, NsysReal, ::testing::ValuesIn(kReports));

}  // namespace
}  // namespace stepscope::testing::nsys_real_test
