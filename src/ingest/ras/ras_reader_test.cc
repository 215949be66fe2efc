// Tests what is read of the JSON of NCCL's RAS service.
#include "ingest/ras/ras_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::testing::ras_reader_test {
namespace {

const std::string kStatus = R"({"nccl_version": "2.28.7", "cuda_runtime_version": 12080,
  "cuda_driver_version": 12080, "timestamp": "2026-11-27 13:10:00", "communicators_count": 1,
  "communicators": [{"hash": "0x6a", "secondary_hash": "0x1:0x2", "size": 3, "ranks_count": 2,
  "missing_ranks_count": 1, "ranks": [
    {"rank": 0, "host": "10.0.0.1", "pid": 11, "cuda_dev": 0, "nvml_dev": 0, "status":
      {"init_state": 0, "async_error": 7, "finalize_called": false, "destroy_flag": false,
       "abort_flag": false}, "collective_counts": {"Broadcast": 2, "AllReduce": 41}},
    {"rank": 1, "host": "10.0.0.1", "pid": 12, "cuda_dev": 1, "nvml_dev": 1, "status":
      {"abort_flag": true}, "collective_counts": {"Broadcast": 2, "AllReduce": 40}}],
  "missing_ranks": [{"rank": 2, "host": "10.0.0.2", "pid": 13, "cuda_dev": 0, "nvml_dev": 0,
    "status": {"unresponsive": true, "considered_dead": true}}]}],
  "ras": {"collection_time_sec": 5.001, "timeouts_count": 1}})";

TEST(RasReader, ReadsMembersAndWhoIsMissing) {
  EXPECT_TRUE(LooksLikeRas(kStatus));
  const auto status = ReadRas(ByteSource::FromMemory(kStatus));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->taken, "2026-11-27 13:10:00");
  const RasCommunicator& communicator = status->communicators.at(0);
  EXPECT_EQ(communicator.id, "0x6a");
  EXPECT_EQ(communicator.size, 3);
  ASSERT_EQ(communicator.members.size(), 3U);
  EXPECT_EQ(communicator.members[0].counts.at("AllReduce"), 41);
  EXPECT_FALSE(communicator.members[0].aborted) << "7 is ncclInProgress";
  EXPECT_TRUE(communicator.members[1].aborted);
  EXPECT_TRUE(communicator.members[2].dead && communicator.members[2].missing);
}

TEST(RasReader, DamagedOnesAreErrorsOrLeftOut) {
  for (size_t length = 0; length < kStatus.size(); length += 11) {
    const std::string text = kStatus.substr(0, length);
    EXPECT_FALSE(ReadRas(ByteSource::FromMemory(text)).has_value()) << length;
  }
  for (const std::string text :
       {"[]", "7", R"({"communicators": {}})", R"({"communicators_count": 1})"})
    EXPECT_FALSE(ReadRas(ByteSource::FromMemory(text)).has_value()) << text;
  const std::string text =
      R"({"communicators": [3, {"ranks": [{"rank": -1}, 4, {"rank": 1}, {"rank": 1}]}]})";
  const auto status = ReadRas(ByteSource::FromMemory(text));
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->left_out, 4);
}

}  // namespace
}  // namespace stepscope::testing::ras_reader_test
