// Tests what is read of rocprofv3's databases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/nsys_database.h"
#include "tests/rocpd_tables.h"
#include "tests/scratch.h"

namespace stepscope::testing::rocpd_test {
namespace {

using Lines = std::vector<std::string>;

class Rocpd {
 public:
  explicit Rocpd(const std::string& tables = kRocpdTables, const std::string& names = kRocpdNames)
      : path_(folder_.path() + "/144_results.db"), database_(path_) {
    Run("PRAGMA page_size = 512; VACUUM;" + tables + names);
  }
  Rocpd& Run(const std::string& sql) {
    database_.Run(sql);
    return *this;
  }
  Rocpd& Event(int64_t correlation, int64_t category, const std::string& data = "{}") {
    return Run(fmt::format("INSERT INTO rocpd_event_a1 VALUES ({}, {}, {}, '{}')", ++events_,
                           category, correlation, data));
  }
  Rocpd& Kernel(int64_t kernel, int64_t start, int64_t end, int64_t correlation = 0,
                int64_t agent = 1, int64_t process = 144) {
    return Event(correlation, 6)
        .Run(fmt::format(
            "INSERT INTO rocpd_kernel_dispatch_a1 (nid, pid, tid, agent_id, kernel_id, queue_id, "
            "stream_id, start, end, group_segment_size, workgroup_size_x, workgroup_size_y, "
            "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id) VALUES (9, {}, "
            "161, "
            "{}, {}, 3, 0, {}, {}, 1024, 256, 1, 1, 2000, 2, 1, {})",
            process, agent, kernel, start, end, events_));
  }
  Rocpd& Region(int64_t name, int64_t start, int64_t end, int64_t correlation, int64_t category = 1,
                const std::string& data = "{}") {
    return Event(correlation, category, data)
        .Run(fmt::format("INSERT INTO rocpd_region_a1 (nid, pid, tid, start, end, name_id, "
                         "event_id) VALUES (9, 144, 161, {}, {}, {}, {})",
                         start, end, name, events_));
  }
  Rocpd& Copy(int64_t start, int64_t end) {
    return Event(9, 5).Run(fmt::format(
        "INSERT INTO rocpd_memory_copy_a1 (nid, pid, tid, start, end, name_id, dst_agent_id, "
        "src_agent_id, size, stream_id, event_id) VALUES (9, 144, 161, {}, {}, 5, 1, 0, 4096, 5, "
        "{})",
        start, end, events_));
  }
  const std::string& path() const { return path_; }
  std::string Bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<Recording> Read() const {
    auto recordings = ReadRecordings(std::move(*ByteSource::Open(path_)));
    EXPECT_TRUE(recordings) << recordings.error().what;
    return recordings ? std::move(*recordings) : std::vector<Recording>(1);
  }

 private:
  ScratchFolder folder_;
  std::string path_;
  Database database_;
  int64_t events_ = 0;
};

TEST(Rocpd, ReadsWhatADeviceAndItsHostDid) {
  Rocpd file;
  file.Region(2, 90, 95, 5)
      .Region(4, 10, 80, 6, 3, R"({"message": "step 3"})")
      .Kernel(1, 100, 150, 5)
      .Kernel(2, 160, 200, 7, 2)
      .Copy(210, 220);
  const auto recordings = file.Read();
  ASSERT_EQ(recordings.size(), 1u);
  const Trace& trace = recordings.front().trace;
  EXPECT_EQ(EventLines(trace),
            (Lines{"runtime hipLaunchKernel 90+5 @144:161", "annotation step 3 10+70 @144:161",
                   "compute gemm(int) 100+50 @0/3",
                   "communication ncclDevKernel_Generic_1(args) 160+40 @1/3",
                   "memcpy Memcpy HtoD 210+10 @0/5"}));
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(0), 5);
  EXPECT_EQ(trace.Ints(IntField::kCorrelation).Find(2), 5);
  EXPECT_EQ(trace.Ints(IntField::kStep).Find(1), 3);
  EXPECT_EQ(trace.launch_configs[0],
            (LaunchConfig{
                .grid = {8, 2, 1}, .block = {256, 1, 1}, .registers = 32, .shared_memory = 1024}));
  ASSERT_EQ(trace.meta.devices.size(), 2u);
  EXPECT_EQ(trace.meta.devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(trace.meta.devices[0].threads_per_multiprocessor, 2048);
  EXPECT_EQ(trace.meta.machine, "node7");
}

TEST(Rocpd, RanksAreThoseOfTheLauncher) {
  Rocpd file;
  file.Kernel(1, 1, 2).Kernel(1, 3, 4, 0, 2, 145);
  file.Run(
      "UPDATE rocpd_info_process_a1 SET environment = '{\"RANK\": \"1\", \"WORLD_SIZE\": \"2\"}';"
      "INSERT INTO rocpd_info_process_a1 VALUES (145, 9, 145, '', '{\"RANK\": \"0\", "
      "\"WORLD_SIZE\": \"2\", \"TOKEN\": \"secret\"}');");
  const auto recordings = file.Read();
  ASSERT_EQ(recordings.size(), 2u);
  EXPECT_EQ(recordings[0].trace.meta.rank, 0);
  EXPECT_EQ(recordings[1].trace.meta.rank, 1);
  EXPECT_EQ(recordings[1].trace.meta.world_size, 2);
  // The tables list devices and kernels of process 144 alone.
  for (const Note& note : recordings[0].notes)
    EXPECT_TRUE(note.name.starts_with("unknown_")) << note.name;
}

TEST(Rocpd, TimesOutsideTheProcessAreCountedAsUnreadable) {
  Rocpd file;
  file.Kernel(1, 5'000'000'000, 6'000'000'000)
      .Kernel(1, 6'000'000'000, 7'000'000'000)
      .Kernel(1, 5, 7'000'000'000);
  file.Run(
      "ALTER TABLE rocpd_info_process_a1 ADD COLUMN init BIGINT;"
      "ALTER TABLE rocpd_info_process_a1 ADD COLUMN fini BIGINT;"
      "UPDATE rocpd_info_process_a1 SET init = 5000000000, fini = 7000000000;");
  const auto recordings = file.Read();
  ASSERT_EQ(recordings.size(), 1u);
  EXPECT_EQ(recordings[0].trace.size(), 2u);
  EXPECT_EQ(recordings[0].trace.notes.Count(NoteKind::kUnreadableEvent), 1);
}

// Of schema 4 events tell a track, which tells the place.
TEST(Rocpd, ReadsSchema4) {
  Rocpd file;
  file.Run(
      "CREATE TABLE rocpd_track_a1 (id INTEGER NOT NULL PRIMARY KEY, pid INTEGER, tid INTEGER, "
      "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER);"
      "INSERT INTO rocpd_track_a1 VALUES (1, 144, 161, 1, 3, 6), (2, 144, 161, NULL, NULL, NULL);"
      "CREATE TABLE rocpd_info_category_a1 (id INTEGER NOT NULL PRIMARY KEY, name TEXT);"
      "INSERT INTO rocpd_info_category_a1 VALUES (1, 'HIP_RUNTIME_API'), (3, 'MARKER_CORE_API');"
      "DROP TABLE rocpd_kernel_dispatch_a1; DROP TABLE rocpd_region_a1;"
      "CREATE TABLE rocpd_kernel_dispatch_a1 (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER, "
      "kernel_id INTEGER, start BIGINT, end BIGINT, event_id INTEGER);"
      "CREATE TABLE rocpd_region_a1 (id INTEGER NOT NULL PRIMARY KEY, track_id INTEGER, "
      "name_id INTEGER, start BIGINT, end BIGINT, event_id INTEGER);"
      "INSERT INTO rocpd_kernel_dispatch_a1 VALUES (1, 1, 1, 100, 150, 1);"
      "INSERT INTO rocpd_region_a1 VALUES (1, 2, 2, 90, 95, 1), (2, 2, 4, 10, 80, 2);");
  file.Event(5, 1).Event(6, 3, R"({"message": "fwd"})");
  EXPECT_EQ(EventLines(file.Read().front().trace),
            (Lines{"runtime hipLaunchKernel 90+5 @144:161", "annotation fwd 10+70 @144:161",
                   "compute gemm(int) 100+50 @0/6"}));
}

// rocpd merge puts the tables of several recordings into one file.
TEST(Rocpd, ReadsAllRecordingsOfAFile) {
  Rocpd file;
  file.Kernel(1, 1, 2);
  file.Run(
      "CREATE TABLE rocpd_kernel_dispatch_b2 AS SELECT * FROM rocpd_kernel_dispatch_a1; UPDATE "
      "rocpd_kernel_dispatch_b2 SET pid = 7, agent_id = 5");
  const auto recordings = file.Read();
  ASSERT_EQ(recordings.size(), 2u);
  EXPECT_EQ(EventLines(recordings[0].trace), Lines{"compute gemm(int) 1+1 @0/3"});
  EXPECT_EQ(EventLines(recordings[1].trace), Lines{"compute unknown kernel 1+1 @5/3"});
}

TEST(Rocpd, IsFoundInAFolderOnceWhereItsJsonLiesBesideIt) {
  Rocpd file;
  file.Kernel(1, 100, 150);
  const std::string folder = file.path().substr(0, file.path().rfind('/'));
  std::ofstream(folder + "/144_results.json") << "{\"rocprofiler-sdk-tool\":[]}";
  std::ofstream(folder + "/cache.db") << "no trace";
  const auto answer = Ask({folder});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->run.files.size(), 1u);
}

TEST(RocpdDamage, CutAnywhereItIsAnErrorOrCounts) {
  Rocpd file;
  for (int64_t i = 1; i < 40; ++i) file.Region(2, i, i + 1, i).Kernel(1 + i % 2, i, i + 5, i);
  const std::string whole = file.Bytes();
  size_t used = 0;
  for (size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 61) {
    const auto cut = ReadRecordings(ByteSource::FromMemory(whole.substr(0, size)));
    if (!cut) continue;
    ++used;
    EXPECT_EQ(cut->front().trace.notes.Count(NoteKind::kTruncated), 1) << size;
  }
  EXPECT_GT(used, 50u);
}

TEST(RocpdDamage, ChangedBytesNeverCrash) {
  Rocpd file;
  file.Region(2, 90, 95, 5).Kernel(1, 100, 150, 5).Copy(1, 2);
  std::string bytes = file.Bytes();
  for (size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 13) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      const char was = std::exchange(bytes[at], value);
      (void)ReadRecordings(ByteSource::FromMemory(bytes));
      bytes[at] = was;
    }
  }
}

TEST(RocpdDamage, OddTablesAreErrorsOrCount) {
  Rocpd empty(kRocpdTables, "");
  EXPECT_FALSE(Ask({empty.path()}));
  Rocpd other("CREATE TABLE rocpd_api (id INTEGER); CREATE TABLE rocpd_op (id INTEGER);", "");
  const auto old = Ask({other.path()});
  ASSERT_FALSE(old);
  EXPECT_TRUE(old.error().what.contains("RPD")) << old.error().what;
  Rocpd views("CREATE VIEW rocpd_region AS SELECT 1 AS start, 2 AS end;", "");
  EXPECT_FALSE(Ask({views.path()}));
  Rocpd odd;
  odd.Kernel(1, 1, 2).Run(
      "UPDATE rocpd_kernel_dispatch_a1 SET start = 'soon'; UPDATE rocpd_info_agent_a1 SET extdata "
      "= x'00ff'; UPDATE rocpd_info_process_a1 SET environment = '[[[';");
  EXPECT_EQ(odd.Read().front().trace.notes.Count(NoteKind::kUnreadableEvent), 1);
}

// Any number may be that of a process: none stands for "no process yet".
TEST(RocpdDamage, TheFirstAgentMayBeOfTheLeastProcess) {
  for (const char* process : {"-9223372036854775807 - 1", "0", "-1", "NULL"}) {
    Rocpd file;
    file.Kernel(1, 1, 2).Run(
        fmt::format("UPDATE rocpd_info_agent_a1 SET pid = {} WHERE id = 0", process));
    EXPECT_EQ(file.Read().front().trace.size(), 1u) << process;
  }
}

}  // namespace
}  // namespace stepscope::testing::rocpd_test
