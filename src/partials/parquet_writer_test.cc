// Writes columns, and reads them again with the reader of Parquet.
#include "partials/parquet_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "ingest/parquet/parquet_reader.h"
#include "tests/scratch.h"

namespace stepscope::parquet_writer_test {
namespace {

const std::vector<FlatColumnInfo> kColumns = {
    {"whole", FlatType::kInt64}, {"real", FlatType::kDouble}, {"text", FlatType::kText}};

// Numbers of every size, runs of them, and rows without a value.
std::vector<FlatColumn> SomeColumns(Random& random, int64_t rows) {
  std::vector<FlatColumn> columns(3);
  columns[2].names = {"", "a", "b", std::string("zero \0 byte", 11)};
  const bool often_absent = random.Below(2) == 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (FlatColumn& column : columns)
      column.present.push_back(random.Below(often_absent ? 2 : 50) > 0);
    const int64_t run = row / (1 + random.Below(20));
    const auto bits = static_cast<unsigned>(random.Below(64));
    if (columns[0].present.back())
      columns[0].ints.push_back(random.Below(3) == 0 ? run
                                                     : static_cast<int64_t>(random.Next() >> bits));
    if (columns[1].present.back()) columns[1].reals.push_back(random.Fraction());
    if (columns[2].present.back()) columns[2].texts.push_back(static_cast<uint32_t>(run % 4));
  }
  return columns;
}

// The rows that have a value are those that were written, in their order.
void ExpectSame(const ParquetTable& table, const std::vector<FlatColumn>& columns) {
  for (size_t c = 0; c < columns.size(); ++c) {
    const ParquetColumn* column = table.Find(kColumns[c].name);
    ASSERT_NE(column, nullptr);
    ASSERT_EQ(column->present, columns[c].present);
    size_t next = 0;
    for (size_t row = 0; row < column->present.size(); ++row) {
      if (!column->present[row]) continue;
      if (c == 0) {
        EXPECT_EQ(column->ints[row], columns[c].ints[next]);
      } else if (c == 1) {
        EXPECT_EQ(column->reals[row], columns[c].reals[next]);
      } else {
        EXPECT_EQ(column->names[column->texts[row]], columns[c].names[columns[c].texts[next]]);
      }
      ++next;
    }
  }
}

TEST(ParquetWriter, WhatIsWrittenIsRead) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/t.parquet";
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed, 0);
    ParquetWriter writer(path, kColumns);
    ASSERT_TRUE(writer.Create());
    std::vector<std::vector<FlatColumn>> groups;
    for (int64_t group = random.Below(4); group >= 0; --group)
      groups.push_back(SomeColumns(random, 4 + random.Below(700)));
    for (const auto& columns : groups) ASSERT_TRUE(writer.Append(columns));
    ASSERT_TRUE(writer.Commit({{"key", "value"}}));
    auto file = ParquetFile::Open(*ByteSource::Open(path));
    ASSERT_TRUE(file.has_value()) << file.error().what;
    const std::pair<std::string, std::string> about("key", "value");
    EXPECT_EQ(file->metadata().about.front(), about);
    EXPECT_EQ(*file->HashBefore(kParquetHashKey), *file->metadata().About(kParquetHashKey));
    ASSERT_EQ(file->metadata().groups.size(), groups.size());
    const auto names = std::to_array<std::string_view>({"whole", "real", "text"});
    for (size_t group = 0; group < groups.size(); ++group) {
      const auto table = file->Read(group, names);
      ASSERT_TRUE(table.has_value()) << table.error().what;
      ExpectSame(*table, groups[group]);
    }
  }
}

TEST(ParquetWriter, TakesTheLargestDifferences) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/t.parquet";
  using Limits = std::numeric_limits<int64_t>;
  const std::vector<int64_t> numbers = {Limits::min(), Limits::max(), 0, Limits::max(), -1,
                                        Limits::min()};
  ParquetWriter writer(path, {kColumns.front()});
  ASSERT_TRUE(writer.Create());
  ASSERT_TRUE(writer.Append({{.present = std::vector(numbers.size(), true), .ints = numbers}}));
  ASSERT_TRUE(writer.Commit({}));
  const auto names = std::to_array<std::string_view>({"whole"});
  const auto table = ReadParquet(*ByteSource::Open(path), names);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->Find("whole")->ints, numbers);
}

}  // namespace
}  // namespace stepscope::parquet_writer_test
