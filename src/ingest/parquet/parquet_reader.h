// Reads flat columns of a Parquet file.
//
// Read are BOOLEAN, INT32, INT64, FLOAT, DOUBLE and BYTE_ARRAY, plain or with a dictionary, data
// pages of version 1 and 2, without compression, with snappy or with gzip. Memory is bounded by the
// size of the file: a file may have at most 64 rows per byte.
#pragma once

#include <span>
#include <string>
#include <string_view>
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

// Nested and repeated columns are none that the file has. Fails where the source cannot be read at
// any place, the file is damaged or encrypted, or a column of `names` is of a type, encoding or
// codec that is not read here.
Result<ParquetTable> ReadParquet(ByteSource source, std::span<const std::string_view> names);

}  // namespace stepscope
