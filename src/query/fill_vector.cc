// Copies numbers and texts.
#include "query/fill_vector.h"

#include <algorithm>
#include <string_view>

namespace stepscope::query {
namespace {

// Marks rows without a value; DuckDB's vector has one in each row at first.
void FillValid(const DuckDb& db, const Rows& rows, abi::Vector out) {
  if (rows.column->type != ColumnType::kNull && rows.column->nulls == 0) return;
  db.vector_ensure_validity_writable(out);
  uint64_t* valid = db.vector_get_validity(out);
  for (int64_t i = 0; i < rows.count; ++i) {
    if (rows.column->IsNull(rows.from + i)) valid[i / 64] &= ~(uint64_t{1} << (i % 64));
  }
}

void FillNumbers(const DuckDb& db, const Rows& rows, ColumnType type, abi::Vector out) {
  void* data = db.vector_get_data(out);
  WithZeroOf(type, [&](auto to) {
    WithZeroOf(rows.column->type, [&](auto from) {
      const auto* values = rows.column->values.As<decltype(from)>() + rows.from;
      std::transform(values, values + rows.count, static_cast<decltype(to)*>(data),
                     [](auto value) { return static_cast<decltype(to)>(value); });
    });
  });
}

void FillTexts(const DuckDb& db, const Rows& rows, abi::Vector out) {
  for (int64_t i = 0; i < rows.count; ++i) {
    if (rows.column->IsNull(rows.from + i)) continue;
    const std::string_view text = rows.column->TextAt(rows.from + i);
    db.vector_assign_string_element_len(out, static_cast<abi::Index>(i), text.data(), text.size());
  }
}

// Refers to texts of the dictionary instead of copying them.
void Refer(const DuckDb& db, const Rows& rows, abi::Vector texts, abi::Vector out) {
  const auto none = static_cast<uint32_t>(rows.column->dictionary->rows);
  abi::Selection chosen = db.create_selection_vector(static_cast<abi::Index>(rows.count));
  uint32_t* places = db.selection_vector_get_data_ptr(chosen);
  WithZeroOf(rows.column->type, [&](auto zero) {
    const auto* values = rows.column->values.As<decltype(zero)>() + rows.from;
    for (int64_t i = 0; i < rows.count; ++i)
      places[i] = rows.column->IsNull(rows.from + i) ? none : static_cast<uint32_t>(values[i]);
  });
  db.vector_reference_vector(out, texts);
  db.slice_vector(out, chosen, static_cast<abi::Index>(rows.count));
  db.destroy_selection_vector(chosen);
}

}  // namespace

abi::Type SqlTypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kInt8:
      return abi::kTinyInt;
    case ColumnType::kInt16:
      return abi::kSmallInt;
    case ColumnType::kInt32:
      return abi::kInteger;
    case ColumnType::kInt64:
      return abi::kBigInt;
    case ColumnType::kDouble:
      return abi::kDouble;
    default:
      return abi::kVarchar;
  }
}

DictionaryVector::DictionaryVector(const DuckDb& db, const ColumnData& column) : texts_(db) {
  if (!column.dictionary) return;
  const int64_t rows = column.dictionary->rows;
  TypeHandle type(db);
  *type.out() = db.create_logical_type(abi::kVarchar);
  *texts_.out() = db.create_vector(type.get(), static_cast<abi::Index>(rows) + 1);
  FillTexts(db, {.column = column.dictionary.get(), .from = 0, .count = rows}, texts_.get());
  db.vector_ensure_validity_writable(texts_.get());
  uint64_t* valid = db.vector_get_validity(texts_.get());
  valid[rows / 64] &= ~(uint64_t{1} << (rows % 64));
}

void FillVector(const DuckDb& db, const Rows& rows, ColumnType type,
                const DictionaryVector& dictionary, abi::Vector out) {
  if (dictionary.get() != nullptr) return Refer(db, rows, dictionary.get(), out);
  FillValid(db, rows, out);
  if (rows.column->type == ColumnType::kNull) return;
  if (type == ColumnType::kText) return FillTexts(db, rows, out);
  FillNumbers(db, rows, type, out);
}

}  // namespace stepscope::query
