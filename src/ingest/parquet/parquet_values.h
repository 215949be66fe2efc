// Decodes the pages of one column into values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/parquet/parquet_metadata.h"
#include "ingest/parquet/parquet_page.h"
#include "stepscope/result.h"

namespace stepscope {

// The values of a flat column, one for each row. One of the three lists is used, by type.
struct ParquetColumn {
  ParquetColumnInfo info;
  std::vector<int64_t> ints;       // BOOLEAN, INT32, INT64
  std::vector<double> reals;       // FLOAT, DOUBLE
  std::vector<uint32_t> texts;     // BYTE_ARRAY: indices into `names`
  std::vector<std::string> names;  // distinct
  std::vector<bool> present;       // false: the row has no value, and the list a 0 in its place

  size_t size() const { return ints.size() + reals.size() + texts.size(); }
};

// Appends the values of chunk after chunk.
class ParquetValues {
 public:
  explicit ParquetValues(ParquetColumn& column) : column_(column) {}

  // `bytes`: those of the chunk. Fails where they are damaged, are of an encoding that is not read
  // here, or do not have chunk.values values. REQUIRES: the caller has limited chunk.values.
  Result<void> Append(std::string_view bytes, const ParquetChunk& chunk);

 private:
  Result<void> ReadDictionary(const ParquetPage& page);
  Result<void> ReadData(const ParquetPage& page);
  bool ReadLevels(const ParquetPage& page, std::string_view& body, std::vector<bool>& defined);
  bool ReadPlain(std::string_view body, const std::vector<bool>& defined);
  bool ReadIndices(std::string_view body, const std::vector<bool>& defined);
  bool ReadDeltas(std::string_view body, const std::vector<bool>& defined);
  // Appends one value to the dictionary or the column.
  bool TakePlain(std::string_view& body, ParquetColumn& into);
  bool TakePlainText(std::string_view& body, ParquetColumn& into);
  void AppendNothing();
  uint32_t IdOf(std::string_view text);
  ParquetColumn& column_;
  std::unordered_map<std::string, uint32_t> ids_;  // of column_.names
  ParquetColumn dictionary_;  // its values, by index; names are those of column_
};

}  // namespace stepscope
