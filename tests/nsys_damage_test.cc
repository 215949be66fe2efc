// Tests damaged, odd and hostile databases: an error or notes, and never more memory than the file
// warrants.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/front_door.h"
#include "tests/nsys_report.h"
#include "tests/sanitized.h"

namespace stepscope::testing::nsys_damage_test {
namespace {

std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Result<std::vector<Recording>> ReadBytes(const std::string& bytes) {
  return ReadRecordings(ByteSource::FromMemory(bytes));
}

// Some rows in each table, in pages of 512 bytes.
void Fill(NsysReport& report) {
  report.Run("PRAGMA page_size = 512; VACUUM;");
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t at = 1000 * (i + 1);
    report.Kernel(fmt::format("kernel_{}", i % 5), at + 100, at + 500, i + 1)
        .Call("cudaLaunchKernel_v7000", at, at + 10, i + 1)
        .Range(fmt::format("aten::mm, op_id = {}", i), at - 5, fmt::to_string(at + 20));
  }
}

TEST(NsysDamage, CutAnywhereItIsAnErrorOrCounts) {
  NsysReport report;
  Fill(report);
  const std::string whole = BytesOf(report.path());
  const auto all = ReadBytes(whole);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->front().trace.notes.Count(NoteKind::kTruncated), 0);
  size_t used = 0;
  for (size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 61) {
    const auto cut = ReadBytes(whole.substr(0, size));
    if (!cut) continue;
    ++used;
    EXPECT_EQ(cut->front().trace.notes.Count(NoteKind::kTruncated), 1) << size;
    EXPECT_LE(cut->front().trace.size(), all->front().trace.size());
  }
  EXPECT_GT(used, 100u);
}

TEST(NsysDamage, ChangedBytesNeverCrash) {
  NsysReport report;
  Fill(report);
  std::string bytes = BytesOf(report.path());
  for (size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 7) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      const char was = std::exchange(bytes[at], value);
      (void)ReadBytes(bytes);
      bytes[at] = was;
    }
  }
}

TEST(NsysDamage, ColumnsThatAreMissingCostWhatTheySay) {
  for (const std::string column : {"deviceId", "streamId", "correlationId", "globalPid",
                                   "demangledName", "registersPerThread", "staticSharedMemory"}) {
    NsysReport report;
    report.Kernel("gemm", 100, 150, 5);
    report.Run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN " + column);
    const auto traces = report.Read();
    ASSERT_EQ(traces.size(), 1u) << column;
    EXPECT_EQ(traces.front().trace.size(), 1u) << column;
    EXPECT_EQ(traces.front().trace.durations()[0], 50) << column;
  }
}

TEST(NsysDamage, ATableWithoutTimesIsLeftOut) {
  NsysReport report;
  report.Kernel("gemm", 100, 150).Run("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMSET DROP COLUMN start");
  const auto traces = report.Read();
  EXPECT_EQ(traces.front().notes.at(0).name, "unreadable_table");
}

TEST(NsysDamage, ValuesOfOtherTypesAreSkippedAndCounted) {
  NsysReport report;
  report.Kernel("gemm", 100, 150)
      .Run(fmt::format(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid) VALUES ('soon', 5, {0}), "
          "(x'00', NULL, {0}), (9223372036854775807, -9223372036854775808, {0}), (3.5, 4, {0}), "
          "(200, 190, {0})",
          kProcess));
  const auto traces = report.Read();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces.front().trace.size(), 2u);
  EXPECT_EQ(traces.front().trace.notes.Count(NoteKind::kUnreadableEvent), 4);
  EXPECT_EQ(traces.front().trace.notes.Count(NoteKind::kNegativeDuration), 1);
}

TEST(NsysDamage, WholeNumbersMayBeWrittenAsFractions) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Run(
      "CREATE TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL; UPDATE k SET start = "
      "CAST(start AS REAL); DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; ALTER TABLE k RENAME TO "
      "CUPTI_ACTIVITY_KIND_KERNEL");
  EXPECT_EQ(report.Read().front().trace.starts()[0], 100);
}

TEST(NsysDamage, TextsNeedNoKey) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Run(
      "CREATE TABLE s AS SELECT * FROM StringIds; DROP TABLE StringIds; ALTER TABLE s RENAME "
      "TO StringIds");
  EXPECT_EQ(report.Read().front().trace.strings[0], "gemm");
}

TEST(NsysDamage, ViewsAndComputedColumnsAreNotThere) {
  NsysReport report;
  report.Kernel("gemm", 100, 150);
  report.Run(
      "DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE r(x) AS (SELECT 1 "
      "UNION ALL SELECT x + 1 FROM r) SELECT x AS start, x AS end, 59 AS eventType FROM r");
  report.Run(
      "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start "
      "INTEGER, end INTEGER, globalPid INTEGER, bytes INTEGER AS (length(zeroblob(50000000))));"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 281477392629760)");
  const auto traces = report.Read();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(traces.front().trace.size(), 2u);
  EXPECT_FALSE(traces.front().trace.Ints(IntField::kBytes).Find(1));
}

TEST(NsysDamage, ATextThatIsNoUtf8IsReplaced) {
  NsysReport report;
  report.Kernel("gemm", 100, 150).Run("UPDATE StringIds SET value = CAST(x'67ff41' AS TEXT)");
  EXPECT_EQ(report.Read().front().trace.strings[0],
            "g\xef\xbf\xbd"
            "A");
  EXPECT_TRUE(Ask({report.path()}));
}

TEST(NsysDamage, AFileOfTheRightNameAndWrongContentIsAnError) {
  for (const std::string content : {"", "SQLite format 3", "{}", "SQLite format 3\n"}) {
    EXPECT_FALSE(AskAbout(content, "report.sqlite"));
  }
  EXPECT_FALSE(AskAbout(std::string("SQLite format 3\0garbage", 23), "report.sqlite"));
}

int64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

TEST(NsysDamage, AMillionNamesCostNoMoreThanTheyAreLong) {
  // A sanitizer takes ten times as long, and memory of its own.
  constexpr int64_t kNames = kSanitized ? 50'000 : 1'000'000;
  NsysReport report;
  report.Kernel("gemm", 1, 2);
  report.Run(
      fmt::format("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < {0}) "
                  "INSERT INTO StringIds SELECT i + 10, 'void kernel_' || i || '<float>(float *)' "
                  "FROM r;"
                  "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < {0}) "
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, "
                  "globalPid, demangledName) SELECT i * 10, i * 10 + 5, 0, 7, {1}, i + 10 FROM r",
                  kNames, kProcess));
  const auto size = static_cast<int64_t>(BytesOf(report.path()).size());
  const int64_t before = PeakBytes();
  const auto traces = report.Read();
  EXPECT_EQ(std::ssize(traces.front().trace.starts()), kNames + 1);
  if (!kSanitized) {
    EXPECT_LT(PeakBytes() - before, 2 * size);
  }
}

}  // namespace
}  // namespace stepscope::testing::nsys_damage_test
