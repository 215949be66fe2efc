// Reads flat columns of a Parquet file.
//
// Read are BOOLEAN, INT32, INT64, FLOAT, DOUBLE and BYTE_ARRAY, plain or with a dictionary, whole
// numbers also as differences (DELTA_BINARY_PACKED), data pages of version 1 and 2, without
// compression, with snappy or with gzip. Memory is bounded by the size of the file: a file may have
// at most 64 rows per byte.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "ingest/parquet/parquet_values.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr std::string_view kParquetMagic = "PAR1";

struct ParquetTable {
  int64_t rows = 0;
  std::vector<ParquetColumn> columns;  // those of the names asked for that the file has

  // Null where the file has no such column.
  const ParquetColumn* Find(std::string_view name) const;
};

// A file whose row groups are read one at a time.
class ParquetFile {
 public:
  // Fails where the source cannot be read at any place, or the file is damaged or encrypted.
  static Result<ParquetFile> Open(ByteSource source);

  const ParquetMetadata& metadata() const { return metadata_; }
  // These columns of row group `group`. Nested and repeated columns are none that the file has.
  // Fails where a column is damaged, or of a type, encoding or codec that is not read here.
  Result<ParquetTable> Read(size_t group, std::span<const std::string_view> names);
  // The same of all row groups.
  Result<ParquetTable> ReadAll(std::span<const std::string_view> names);

  // A hash (base/content_hash.h) of all bytes before the last place in the metadata that has this
  // text. Fails where none has, or the file cannot be read.
  Result<std::string> HashBefore(std::string_view text);

 private:
  explicit ParquetFile(ByteSource source) : source_(std::move(source)) {}
  Result<std::string> Bytes(int64_t offset, int64_t count);
  Result<void> TakeMetadata();
  Result<ParquetTable> ReadGroups(std::span<const ParquetRowGroup> groups,
                                  std::span<const std::string_view> names);
  Result<ParquetColumn> ReadColumn(std::span<const ParquetRowGroup> groups,
                                   const ParquetColumnInfo& info);

  ByteSource source_;
  ParquetMetadata metadata_;
  int64_t footer_ = 0, footer_bytes_ = 0;  // where the metadata begins, and how long it is
};

// All of a file at once, as above.
Result<ParquetTable> ReadParquet(ByteSource source, std::span<const std::string_view> names);

}  // namespace stepscope
