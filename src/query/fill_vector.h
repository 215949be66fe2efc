// Copies rows of our columns into vectors of DuckDB.
#pragma once

#include "query/connection.h"
#include "stepscope/columns.h"

namespace stepscope::query {

abi::Type SqlTypeOf(ColumnType type);

// The texts of a column's dictionary as a vector, which all vectors of its rows refer to, with a
// last entry that stands for no value. Empty where the column has no dictionary.
class DictionaryVector {
 public:
  DictionaryVector(const DuckDb& db, const ColumnData& column);
  DictionaryVector(DictionaryVector&&) noexcept = default;
  abi::Vector get() const { return texts_.get(); }

 private:
  Handle<abi::Vector, &DuckDb::destroy_vector> texts_;
};

struct Rows {
  const ColumnData* column;
  int64_t from = 0, count = 0;
};

// `type` is at least as wide as the column's own. REQUIRES: at most DuckDb::vector_size() rows.
void FillVector(const DuckDb& db, const Rows& rows, ColumnType type,
                const DictionaryVector& dictionary, abi::Vector out);

}  // namespace stepscope::query
