// Writes flat columns as a Parquet file, one row group after the other.
//
// Every column may be without a value in a row. Whole numbers are written as differences
// (DELTA_BINARY_PACKED), texts with a dictionary, fractions plainly, and a column is compressed
// with gzip where that makes it smaller. The same columns make the same bytes. The metadata ends
// with a hash of all bytes before it (kParquetHashKey), so that damage is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/file_writer.h"
#include "stepscope/result.h"

namespace stepscope {

// The last key of the metadata. Its value: XXH3 (64 bits, as 16 hexadecimal digits) of all bytes of
// the file before the key.
inline constexpr std::string_view kParquetHashKey = "stepscope.hash";

enum class FlatType : uint8_t { kInt64, kDouble, kText };

struct FlatColumnInfo {
  std::string_view name;
  FlatType type = FlatType::kInt64;
};

// The values of a column in one row group. One of the three lists is used, by type; it has the rows
// that have a value alone.
struct FlatColumn {
  std::vector<bool> present;  // by row
  std::vector<int64_t> ints;
  std::vector<double> reals;
  std::vector<uint32_t> texts;     // indices into `names`
  std::vector<std::string> names;  // distinct
};

// The order of use: Create, Append as often as needed, Commit. The file appears under its name once
// it is complete and on disk.
class ParquetWriter {
 public:
  ParquetWriter(std::string path, std::vector<FlatColumnInfo> columns)
      : file_(std::move(path)), columns_(std::move(columns)) {}

  Result<void> Create();
  // REQUIRES: a column for each of the file's, all with as many rows.
  Result<void> Append(const std::vector<FlatColumn>& columns);
  // `about`: what the file says of itself, as keys with values. The hash is added.
  Result<void> Commit(std::vector<std::pair<std::string, std::string>> about);

 private:
  struct Chunk {
    int64_t offset = 0, dictionary = 0;  // in the file; 0: it has none
    int64_t raw_bytes = 0, bytes = 0, values = 0;
    int encoding = 0, codec = 0;
  };
  struct Group {
    std::vector<Chunk> chunks;
    int64_t rows = 0;
  };

  Chunk AppendChunk(FlatType type, const FlatColumn& column);
  std::string Footer(const std::vector<std::pair<std::string, std::string>>& about) const;
  Result<void> Flush();

  FileWriter file_;
  std::vector<FlatColumnInfo> columns_;
  std::vector<Group> groups_;
  ContentHash hash_;     // of all bytes that are before `pending_`
  int64_t written_ = 0;  // how many they are
  std::string pending_;
};

}  // namespace stepscope
