// Tests columns in every form that is read, and files that lie about themselves.
#include "ingest/parquet/parquet_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "ingest/parquet/rle_bits.h"
#include "ingest/parquet/thrift_compact.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::testing::parquet_reader_test {
namespace {

constexpr auto kAll = std::to_array<std::string_view>(
    {"flag", "small", "large", "single", "double", "text", "gap", "list"});

// tests/data/operations/make.py wrote them: 60 rows.
std::string DataFile(const std::string& name) {
  return Content(SourceDir() + "/tests/data/parquet/" + name + ".parquet");
}

Result<ParquetTable> Read(const std::string& bytes) {
  return ReadParquet(ByteSource::FromMemory(bytes), kAll);
}

void ExpectRows(const ParquetTable& table) {
  ASSERT_EQ(table.rows, 60);
  EXPECT_EQ(table.Find("list"), nullptr);  // nested
  for (int n = 0; n < 60; ++n) {
    const auto at = static_cast<size_t>(n);
    EXPECT_EQ(table.Find("small")->ints[at], n % 7 - 3);
    EXPECT_EQ(table.Find("large")->ints[at], int64_t{n - 30} * 1'000'000'000'000'000);
    EXPECT_EQ(table.Find("single")->reals[at], n / 8.0);
    EXPECT_EQ(table.Find("double")->reals[at], n / 10.0);
    const ParquetColumn& text = *table.Find("text");
    EXPECT_EQ(text.names[text.texts[at]], "name " + std::to_string(n % 5));
    const ParquetColumn& gap = *table.Find("gap");
    EXPECT_EQ(gap.present[at], n % 4 != 1);
    EXPECT_EQ(gap.ints[at], n % 4 == 1 ? 0 : n);
  }
}

TEST(ParquetReader, ReadsEveryForm) {
  for (const std::string name : {"dictionary_v1", "plain_v1", "plain_v2", "pages"}) {
    SCOPED_TRACE(name);
    const auto table = Read(DataFile(name));
    ASSERT_TRUE(table.has_value()) << table.error().what;
    ExpectRows(*table);
    const ParquetColumn* flag = table->Find("flag");
    if (name == "plain_v2") continue;
    ASSERT_NE(flag, nullptr);
    for (size_t n = 0; n < 60; ++n) EXPECT_EQ(flag->ints[n], n % 3 == 0 ? 1 : 0);
  }
}

TEST(ParquetReader, ReadsOnlyWhatIsAskedFor) {
  const std::string bytes = DataFile("dictionary_v2");  // gzip; its booleans are run lengths
  const auto columns = std::to_array<std::string_view>({"small", "gap"});
  const auto table = ReadParquet(ByteSource::FromMemory(bytes), columns);
  ASSERT_TRUE(table.has_value()) << table.error().what;
  EXPECT_EQ(table->columns.size(), 2U);
  EXPECT_EQ(table->Find("small")->ints[8], -2);
  const auto flag = Read(bytes);
  ASSERT_FALSE(flag.has_value());
  EXPECT_NE(flag.error().what.find("'flag'"), std::string::npos) << flag.error().what;
}

TEST(ParquetReader, NamesTheCodecThatIsNotRead) {
  const auto table = Read(DataFile("zstd"));
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().what, "cannot read the Parquet file: it is compressed with ZSTD");
  EXPECT_EQ(table.error().hint, "write it with compression snappy, gzip or none");
}

// Whatever the bytes are, reading ends, and what it returns is as long as it says.
void ExpectNoLies(const std::string& bytes) {
  const auto table = Read(bytes);
  if (!table) {
    EXPECT_FALSE(table.error().what.empty());
    return;
  }
  for (const ParquetColumn& column : table->columns) {
    EXPECT_EQ(column.size(), static_cast<size_t>(table->rows));
    EXPECT_EQ(column.present.size(), column.size());
    for (const uint32_t id : column.texts) EXPECT_LT(id, column.names.size());
  }
}

TEST(ParquetReader, SurvivesCutFiles) {
  for (const char* name : {"dictionary_v1", "pages"}) {
    const std::string whole = DataFile(name);
    for (size_t size = 0; size < whole.size(); size += 7) {
      EXPECT_FALSE(Read(whole.substr(0, size)).has_value()) << size;
      ExpectNoLies(whole.substr(size));
    }
  }
}

TEST(ParquetReader, SurvivesDamagedBytes) {
  std::mt19937 random(1);
  for (const char* name : {"dictionary_v1", "dictionary_v2", "plain_v1", "plain_v2", "pages"}) {
    const std::string whole = DataFile(name);
    for (int turn = 0; turn < 1500; ++turn) {
      std::string damaged = whole;
      for (int flips = 1 + turn % 3; flips > 0; --flips)
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      ExpectNoLies(damaged);
    }
  }
}

TEST(ThriftReader, BoundsWhatIsClaimed) {
  // A list of 2^60 structs in a few bytes; structs in structs without an end.
  const std::string huge("\x19\xfc\x80\x80\x80\x80\x80\x80\x80\x80\x10", 11);
  const std::string deep(100'000, '\x1c');
  for (const std::string& bytes : {huge, deep}) {
    ThriftReader in(bytes);
    in.Struct([](int64_t, ThriftType) { return false; });
    EXPECT_FALSE(in.ok());
  }
}

TEST(ThriftReader, SkipsWhatNobodyTakes) {
  // 1: true, 2: map {1: "a"}, 3: list of booleans, 4: double, 5: 7.
  const std::string bytes(
      "\x11\x1b\x01\x58\x02\x01\x61\x19\x21\x01\x02\x17\0\0\0\0\0\0\0\0\x15\x0e\0", 23);
  ThriftReader in(bytes);
  int64_t value = 0;
  in.Struct([&](int64_t id, ThriftType type) { return id == 5 && in.TakeInt(type, value); });
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(value, 7);
  EXPECT_TRUE(in.rest().empty());
}

TEST(RleBits, ReadsRunsAndPackedNumbers) {
  // The number 5 four times, then 0 to 7 in three bits each: the example of Parquet's own text.
  RleBits bits(std::string_view("\x08\x05\x03\x88\xc6\xfa", 6), 3);
  for (const uint32_t expected : {5U, 5U, 5U, 5U, 0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    uint32_t value = 9;
    ASSERT_TRUE(bits.Next(value));
    EXPECT_EQ(value, expected);
  }
  uint32_t value = 0;
  EXPECT_FALSE(bits.Next(value));
}

}  // namespace
}  // namespace stepscope::testing::parquet_reader_test
