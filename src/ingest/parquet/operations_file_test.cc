// Tests what becomes of the rows of a file of operations, and of the layout beside it.
#include "ingest/parquet/operations_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ingest/parquet/job_layout.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::testing::operations_file_test {
namespace {

std::string Planted() { return SourceDir() + "/tests/data/operations/trace-planted.parquet"; }

TEST(OperationsFile, ReadsRowsAndTheLayoutBesideThem) {
  const auto file = ReadOperations(Planted());
  ASSERT_TRUE(file.has_value()) << file.error().what;
  EXPECT_EQ(file->operations.rows.size(), 304U);
  EXPECT_TRUE(file->layout.ends_with("meta-planted.yaml"));
  EXPECT_EQ(file->operations.devices, 4);
  EXPECT_TRUE(file->notes.empty());
  const Operation& first = file->operations.rows.front();
  EXPECT_EQ(first.kind, OperationKind::kParamsGather);
  EXPECT_EQ(first.step, 10);
  EXPECT_EQ(first.start, 1'000'000);  // float: 0.001 s to 1 ns
}

TEST(OperationsFile, SaysThatItInferredTheLayout) {
  const ScratchFolder folder;
  const std::string path = folder.Write("trace-x.parquet", Content(Planted()));
  const auto alone = ReadOperations(path);
  ASSERT_TRUE(alone.has_value());
  ASSERT_EQ(alone->notes.size(), 1U);
  EXPECT_EQ(alone->notes[0].name, "layout_inferred");
  EXPECT_TRUE(alone->notes[0].message.contains("dp 2, pp 2"));
  folder.Write("meta-x.yaml", "dp_size: 8  # not so\npp_size: 2\n");
  const auto wrong = ReadOperations(path);
  ASSERT_TRUE(wrong.has_value());
  ASSERT_EQ(wrong->notes.size(), 1U);
  EXPECT_EQ(wrong->notes[0].name, "layout_differs");
}

TEST(OperationsFile, SaysWhichColumnIsMissing) {
  const auto file = ReadOperations(SourceDir() + "/tests/data/parquet/pages.parquet");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().what, "cannot read operations: column 'step' is missing");
  EXPECT_TRUE(file.error().where.ends_with("pages.parquet"));
}

TEST(OperationsFile, TellsParquetByItsFirstBytes) {
  const ScratchFolder folder;
  EXPECT_TRUE(IsParquet(Planted()));
  EXPECT_FALSE(IsParquet(folder.path()));
  EXPECT_FALSE(IsParquet(folder.Write("x.parquet", "{}")));
  EXPECT_FALSE(IsParquet(folder.path() + "/nothing"));
}

TEST(JobLayout, ReadsSizesAndNothingElse) {
  const JobLayout layout =
      ReadLayout("# a job\ndp_size: 4\npp_size: -1\nworld_size : 64\r\ntp_size: 4x\n");
  EXPECT_EQ(layout.dp, 4);
  EXPECT_EQ(layout.devices, 64);
  EXPECT_FALSE(layout.pp.has_value());
  EXPECT_FALSE(layout.tp.has_value());
}

}  // namespace
}  // namespace stepscope::testing::operations_file_test
