// Makes columns of the rows that DuckDB answers with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/connection.h"
#include "stepscope/query.h"

namespace stepscope::query {

// What a column of an answer becomes; `cast`: the type that DuckDB has to make of it first, empty
// where it can be read as it is.
struct Readable {
  QueryColumn column;
  std::string cast;
};
std::vector<Readable> ReadableColumns(const std::vector<ResultColumn>& columns);

// Bytes of the texts of a vector of VARCHAR.
int64_t TextBytes(const DuckDb& db, abi::Vector vector, abi::Index rows);

// Gathers chunks in one column.
class ColumnReader {
 public:
  ColumnReader() = default;
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;
  virtual ~ColumnReader() = default;
  // The first rows of a vector. Fails for a number that does not fit.
  virtual Result<void> Append(const DuckDb& db, abi::Vector vector, abi::Index rows) = 0;
  // What was appended, and begins anew.
  virtual ColumnData Finish() = 0;
};

// `type`: what DuckDB answers with. REQUIRES: it can be read.
std::unique_ptr<ColumnReader> MakeColumnReader(const QueryColumn& column, abi::Type type);

}  // namespace stepscope::query
