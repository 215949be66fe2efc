// Implements columns, cells and the order of rows.
#include "report/columns.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "report/lookup.h"

namespace stepscope {

Column KeyColumn(std::string key, Phrase title, Unit unit) {
  return {std::move(key), std::move(title), unit, Role::kKey};
}

Column ValueColumn(std::string key, Phrase title, Unit unit, bool detail) {
  return {std::move(key), std::move(title), unit, Role::kValue, detail};
}

Column TimeColumn(std::string key, Phrase title) {
  return ValueColumn(std::move(key), std::move(title), Unit::kNanoseconds);
}

Column RatioColumn(std::string key, Phrase title) {
  return ValueColumn(std::move(key), std::move(title), Unit::kRatio);
}

Column CountColumn(std::string key, Phrase title) {
  return ValueColumn(std::move(key), std::move(title), Unit::kCount);
}

Column BytesColumn(std::string key, Phrase title) {
  return ValueColumn(std::move(key), std::move(title), Unit::kBytes);
}

Column Detail(Column column) {
  column.detail = true;
  return column;
}

Column Words(Column column) {
  column.words = true;
  return column;
}

void AddColumns(Table& table, std::vector<Column> more) {
  std::ranges::move(more, std::back_inserter(table.columns));
}

Cell Ratio(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

Cell TextCell(std::string text) { return text.empty() ? Cell() : Cell(std::move(text)); }

Cell When(bool known, Cell cell) { return known ? std::move(cell) : Cell(); }

size_t ColumnAt(const Table& table, std::string_view key) {
  const std::optional<size_t> found = FindColumn(table, key);
  assert(found);
  return found.value();  // NOLINT(bugprone-unchecked-optional-access): REQUIRES
}

void SortDescending(Table& table, std::string_view key) {
  const size_t at = ColumnAt(table, key);
  std::ranges::stable_sort(table.rows,
                           [at](const auto& a, const auto& b) { return a[at] > b[at]; });
}

}  // namespace stepscope
