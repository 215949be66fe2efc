// Checks TensorBoard files: checksums, records, scalars.
#include "goodput/live/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/time_units.h"
#include "tests/scratch.h"

namespace stepscope::goodput::tensorboard_test {
namespace {

constexpr int64_t kBegin = 1'780'000'000 * kSecond;

TEST(TensorBoard, ChecksumsAreCrc32c) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);              // the catalog's check value
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);    // RFC 3720, B.4
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);  // the same
}

TEST(TensorBoard, NamesCannotEscapeTheDirectory) {
  EXPECT_EQ(FolderName("llm-7b_v1.2"), "llm-7b_v1.2");
  EXPECT_EQ(FolderName("../x"), "%2e.%2fx");
  EXPECT_EQ(FolderName(""), "%");
  EXPECT_EQ(FolderName(std::string(300, 'a')).size(), 209u);
  EXPECT_NE(FolderName(std::string(300, 'a')), FolderName(std::string(301, 'a')));
}

// The records of a file, whose lengths and checksums must be right.
std::vector<std::string> Records(const std::string& bytes) {
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
  };
  const auto masked = [](std::string_view text) {
    const uint32_t crc = Crc32c(text);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
  };
  std::vector<std::string> records;
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = number(at);
    EXPECT_EQ(number(at + 4), 0u);
    EXPECT_EQ(number(at + 8), masked(std::string_view(bytes).substr(at, 8)));
    records.push_back(bytes.substr(at + 12, size));
    EXPECT_EQ(number(at + 12 + size), masked(records.back()));
    at += 16 + size;
  }
  return records;
}

// The value of a scalar in an event: behind the tag stand the field's number and a float.
float Scalar(const std::string& event, const std::string& tag) {
  const size_t at = event.find(static_cast<char>(tag.size()) + tag + '\x15');
  if (at == std::string::npos) return -1;
  float value = 0;
  std::memcpy(&value, &event[at + 1 + tag.size() + 1], sizeof value);
  return value;
}

TEST(TensorBoard, WritesChangedJobs) {
  const testing::ScratchFolder scratch;
  std::map<std::string, LiveJob> jobs;
  const auto step = [&](int64_t number) {
    jobs["llm"].Add(
        {.kind = EventKind::kStepStart, .time = kBegin + 10 * number * kSecond, .step = number},
        kBegin + 1000 * kSecond);
  };
  for (int64_t k = 0; k < 4; ++k) step(k);
  TensorBoard board(scratch.path());
  const auto write = [&](int64_t at) { ASSERT_TRUE(board.Write(jobs, kBegin + at * kSecond)); };
  write(40);
  step(4);
  write(50);  // too early
  write(80);
  write(120);  // nothing new
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path() + "/llm")) {
    EXPECT_NE(entry.path().string().find("tfevents"), std::string::npos);
    std::ifstream in(entry.path(), std::ios::binary);
    bytes.append(std::istreambuf_iterator<char>(in), {});
  }
  const auto records = Records(bytes);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_NE(records[0].find("brain.Event:2"), std::string::npos);
  EXPECT_FLOAT_EQ(Scalar(records[1], "goodput/goodput"), 0.75F);  // 3 steps of 40 s
  EXPECT_FLOAT_EQ(Scalar(records[1], "badput/in_progress"), 0.25F);
  EXPECT_FLOAT_EQ(Scalar(records[2], "goodput/goodput"), 0.5F);
  EXPECT_FLOAT_EQ(Scalar(records[2], "step_time"), 10.0F);
  EXPECT_EQ(Scalar(records[2], "badput/custom"), -1);
  EXPECT_FALSE(TensorBoard("/proc/no").Write(jobs, kBegin));
}

}  // namespace
}  // namespace stepscope::goodput::tensorboard_test
