// Reads what a Parquet file says about itself: its columns, and where their bytes are.
//
// Names and numbers are those of parquet.thrift in apache/parquet-format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

enum class ParquetType : uint8_t {
  kBoolean,
  kInt32,
  kInt64,
  kInt96,
  kFloat,
  kDouble,
  kByteArray,
  kFixedByteArray,
};

// A column that is no group and in no group, and not repeated.
struct ParquetColumnInfo {
  std::string name;
  ParquetType type = ParquetType::kInt32;
  bool optional = false;  // a row may have no value
};

// The pages of a column in a row group.
struct ParquetChunk {
  std::string column;
  int64_t codec = 0;
  int64_t values = 0;  // rows without a value included
  int64_t offset = 0;  // of the first page, in the file
  int64_t bytes = 0;
};

struct ParquetRowGroup {
  std::vector<ParquetChunk> chunks;
  int64_t rows = 0;
};

struct ParquetMetadata {
  std::vector<ParquetColumnInfo> columns;  // the flat ones
  std::vector<ParquetRowGroup> groups;
  int64_t rows = 0;
  std::vector<std::pair<std::string, std::string>> about;  // what the file says of itself, by key

  // Null where it says nothing about it.
  const std::string* About(std::string_view key) const;
};

// `bytes`: the footer without its length. Fails where it breaks off or contradicts itself.
Result<ParquetMetadata> ReadParquetMetadata(std::string_view bytes);

enum class ParquetPageType : uint8_t { kData, kIndex, kDictionary, kDataV2 };

struct ParquetPageHeader {
  int64_t type = 0;  // ParquetPageType, or what this reader does not know
  int64_t uncompressed_bytes = 0, compressed_bytes = 0;
  int64_t values = 0;
  int64_t encoding = 0, level_encoding = 0;
  // Of kDataV2 alone.
  int64_t definition_bytes = 0, repetition_bytes = 0;
  bool compressed = true;
};

// Takes the header off the front of `bytes`; absent where it breaks off or a size is negative.
std::optional<ParquetPageHeader> TakeParquetPageHeader(std::string_view& bytes);

}  // namespace stepscope
