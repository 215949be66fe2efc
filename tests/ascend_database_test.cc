// Tests what is read of databases of Ascend's profiler, which the documentation describes.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ingest/trace_reader.h"
#include "tests/answer.h"
#include "tests/ascend_tables.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/nsys_database.h"

namespace stepscope::testing::ascend_database_test {
namespace {

using Lines = std::vector<std::string>;

std::string BytesOf(const std::string& rows, const std::string& tables = kAscendTables) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/ascend_pytorch_profiler_5.db";
  Database(path).Run(tables + rows);
  return Content(path);
}

Trace Read(const std::string& bytes) {
  auto recordings = ReadRecordings(ByteSource::FromMemory(bytes));
  EXPECT_TRUE(recordings) << recordings.error().what;
  return recordings ? std::move(recordings->front().trace) : Trace();
}

TEST(AscendDatabase, TasksCallsAndOperatorsAreEvents) {
  const Trace trace = Read(BytesOf(kAscendRows));
  EXPECT_EQ(
      EventLines(trace),
      (Lines{"operator aten::mm 100+100 @1:7", "annotation ProfilerStep#7 90+810 @1:7",
             "annotation my range 300+100 @1:7", "runtime aclnnMm 110+40 @1:7",
             "runtime launch 120+10 @1:7", "communication hcom_allReduce__428_0_1 305+100 @2/10000",
             "compute aclnnMm_MatMulV2 160+100 @2/3", "sync EVENT_WAIT 270+10 @2/3",
             "memcpy Memcpy HtoD 290+10 @2/3"}))
      << "tasks of the collective are not counted beside it";
  EXPECT_EQ(trace.meta.rank, 5);
  EXPECT_EQ(trace.meta.machine, "node9");
  EXPECT_EQ(trace.meta.device_name, "Ascend910B3");
  EXPECT_EQ(trace.strings[*trace.Texts(TextField::kInputShapes).Find(0)], "[[4,3],[3,5]]");
  EXPECT_EQ(trace.strings[*trace.Texts(TextField::kInputTypes).Find(0)],
            R"(["float","c10::Half"])");
  EXPECT_EQ(trace.Ints(IntField::kStep).Find(1), 7);
  EXPECT_EQ(trace.Ints(IntField::kBytes).Find(8), 4096);
}

TEST(AscendDatabase, TheInnermostCallOfAConnectionLaunches) {
  const Trace trace = Read(BytesOf(kAscendRows));
  const auto& correlations = trace.Ints(IntField::kCorrelation);
  EXPECT_EQ(correlations.Find(3), std::nullopt);
  EXPECT_EQ(correlations.Find(4), correlations.Find(6));
  EXPECT_EQ(correlations.Find(7), std::nullopt) << "4294967295 ties nothing";
}

TEST(AscendDatabase, CollectivesHaveGroupTypeAndSize) {
  const Trace trace = Read(BytesOf(kAscendRows));
  EXPECT_EQ(trace.strings[*trace.Texts(TextField::kGroupName).Find(5)], "group0");
  EXPECT_EQ(trace.strings[*trace.Texts(TextField::kDataType).Find(5)], "Float");
  EXPECT_EQ(trace.Ints(IntField::kInElements).Find(5), 1000);
}

TEST(AscendDatabase, WithoutCollectivesTheirTasksCount) {
  const Trace trace = Read(BytesOf(std::string(kAscendRows) + "DELETE FROM COMMUNICATION_OP;"));
  EXPECT_EQ(EventLines(trace).back(), "communication Memcpy 310+10 @2/9");
}

TEST(AscendDatabase, StepsOfTheirOwnTableCountWhereNoOperatorIsOne) {
  const Trace trace = Read(
      BytesOf("INSERT INTO STEP_TIME VALUES (4,1,99); INSERT INTO STRING_IDS VALUES (1,'AI_CORE');"
              "INSERT INTO TASK VALUES (10,20,0,1,1,1,1,0,3,1,0);"));
  EXPECT_EQ(EventLines(trace),
            (Lines{"annotation ProfilerStep#4 1+98 @0:0", "compute AI_CORE 10+10 @0/3"}));
}

TEST(AscendDatabase, OfADirectoryTheTimelineCountsBesideIt) {
  const ScratchFolder folder;
  folder.Write("ascend_pytorch_profiler_5.db", BytesOf(kAscendRows));
  const auto alone = Ask({folder.path()});
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->run.files.size(), 1u);
  EXPECT_EQ(GpuEvents(*alone), 3);
  folder.Write("trace_view.json", Document({Kernel("gemm", 0, 5)}));
  const auto both = Ask({folder.path()});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->run.files.size(), 1u);
  EXPECT_EQ(GpuEvents(*both), 1);
}

TEST(AscendDatabase, AnEmptyOneIsAnError) {
  const auto read = ReadRecordings(ByteSource::FromMemory(BytesOf("")));
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().what.contains("Ascend")) << read.error().what;
}

TEST(AscendDatabase, CutAnywhereItIsAnErrorOrCounts) {
  std::string rows = kAscendRows;
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("INSERT INTO TASK VALUES ({0},{1},2,{2},{2},1,15,0,3,1,0);", 1000 + 10 * i,
                        1005 + 10 * i, 2000 + i);
  const std::string whole = BytesOf(rows, std::string("PRAGMA page_size = 512;") + kAscendTables);
  size_t used = 0;
  for (size_t size = 0; size < whole.size(); size += 97) {
    const auto cut =
        ReadRecordings(ByteSource::FromMemory(std::string_view(whole).substr(0, size)));
    if (!cut) continue;
    ++used;
    EXPECT_EQ(cut->front().trace.notes.Count(NoteKind::kTruncated), 1) << size;
  }
  EXPECT_GT(used, 10u);
}

TEST(AscendDatabase, WrongTypesAndHostileValuesAreCounted) {
  const Trace trace = Read(
      BytesOf(std::string(kAscendRows) +
              "INSERT INTO TASK VALUES ('x',9,0,0,0,0,0,0,0,0,0),"
              "(1,9223372036854775807,0,0,0,0,0,0,0,0,0),(NULL,NULL,0,0,0,0,0,0,0,0,0),"
              "(50,40,-7,-7,-7,0,999,0,-9223372036854775807,0,0);"
              "INSERT INTO STRING_IDS VALUES (99, x'ff00fe');"
              "INSERT INTO COMMUNICATION_OP VALUES (99,1,2,3,99,77,0,0,999999,0,'many',99,-1);"));
  EXPECT_EQ(trace.notes.Count(NoteKind::kUnreadableEvent), 3);
  EXPECT_EQ(trace.notes.Count(NoteKind::kNegativeDuration), 1);
}

}  // namespace
}  // namespace stepscope::testing::ascend_database_test
