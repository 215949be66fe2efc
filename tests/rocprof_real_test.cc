// Tests a real recording of rocprofv3, MI350X, 43,915 dispatches: to the nanosecond against sums
// that were made by a script over its JSON.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "ingest/trace_reader.h"
#include "stepscope/export.h"
#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/invariants.h"
#include "tests/scratch.h"
#include "tests/shared_data.h"

namespace stepscope::testing::rocprof_real_test {
namespace {

class RocprofReal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_)) GTEST_SKIP() << "no ../shared";
  }
  const std::string path_ = Shared("traces/rocprof/908_results.json.gz").string();
};

TEST_F(RocprofReal, HoldsEveryDispatch) {
  auto source = ByteSource::Open(path_);
  ASSERT_TRUE(source);
  const auto recordings = ReadRecordings(std::move(*source));
  ASSERT_TRUE(recordings);
  ASSERT_EQ(recordings->size(), 1u);
  const Trace& trace = recordings->front().trace;
  std::map<Kind, std::pair<int64_t, int64_t>> sums;
  for (EventId e = 0; e < trace.size(); ++e) {
    ++sums[trace.kinds()[e]].first;
    sums[trace.kinds()[e]].second += trace.durations()[e];
  }
  EXPECT_EQ(sums[Kind::kCompute], (std::pair<int64_t, int64_t>(42'605, 282'984'700)));
  EXPECT_EQ(sums[Kind::kCommunication], (std::pair<int64_t, int64_t>(1'310, 4'158'756'678)));
  EXPECT_EQ(sums.size(), 2u);
  EXPECT_EQ(trace.starts()[0], 63'857'982'592'000);
  EXPECT_EQ(trace.meta.device_name, "AMD Instinct MI350X");
  EXPECT_EQ(trace.meta.devices.size(), 1u) << "of eight, one was used";
}

TEST_F(RocprofReal, HoldsTheTimesOfItsDevice) {
  const ReportSet answer = AnswerTo({path_});
  const auto times = RowsOf(answer, "temporal_breakdown", "ranks");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].Int("span"), 15'122'023'494);
  EXPECT_EQ(times[0].Int("busy"), 4'233'112'334);
  EXPECT_EQ(times[0].Int("compute"), 281'681'933);
  const auto overlap = RowsOf(answer, "comm_overlap", "ranks");
  ASSERT_EQ(overlap.size(), 1u);
  EXPECT_EQ(overlap[0].Int("communication"), 4'158'756'678);
  EXPECT_EQ(overlap[0].Int("overlapped"), 207'326'277);
  for (const std::string& violation : BrokenInvariants(answer)) ADD_FAILURE() << violation;
}

}  // namespace
}  // namespace stepscope::testing::rocprof_real_test
