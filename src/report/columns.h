// Builds the columns and cells of a report's tables, and finds them by name.
//
// Everybody who makes a report uses these: analyses, goodput, the timeline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

Column KeyColumn(std::string key, Phrase title, Unit unit = Unit::kNone);
Column ValueColumn(std::string key, Phrase title, Unit unit = Unit::kNone, bool detail = false);
Column TimeColumn(std::string key, Phrase title);   // ns
Column RatioColumn(std::string key, Phrase title);  // 0..1
Column CountColumn(std::string key, Phrase title);
Column BytesColumn(std::string key, Phrase title);

// The same column, left out of text and Markdown.
Column Detail(Column column);

// The same column, whose texts are words of ours: other languages say them.
Column Words(Column column);

// `table`'s columns followed by `more`.
void AddColumns(Table& table, std::vector<Column> more);

// part / whole, or no value when there is no whole.
Cell Ratio(int64_t part, int64_t whole);

// `cell` where it is known, else no value.
Cell When(bool known, Cell cell);
// No value where the text is empty.
Cell TextCell(std::string text);
template <class T>
Cell Maybe(const std::optional<T>& value) {
  return value ? Cell(*value) : Cell();
}

// The place of the column `key`. REQUIRES: there is one.
size_t ColumnAt(const Table& table, std::string_view key);

// One column of a table, by which the cells of its rows are read:
//
//   const ColumnOf total(table, "total");
//   for (const auto& row : table.rows) sum += total.Int(row);
class ColumnOf {
 public:
  // REQUIRES: the table has a column `key`.
  ColumnOf(const Table& table, std::string_view key) : at_(ColumnAt(table, key)) {}

  const Cell& operator()(const std::vector<Cell>& row) const { return row[at_]; }

  // REQUIRES: the cell holds one of these.
  int64_t Int(const std::vector<Cell>& row) const { return std::get<int64_t>(row[at_]); }
  double Real(const std::vector<Cell>& row) const { return std::get<double>(row[at_]); }
  const std::string& Text(const std::vector<Cell>& row) const {
    return std::get<std::string>(row[at_]);
  }
  // Null where the cell holds none.
  const double* FindReal(const std::vector<Cell>& row) const {
    return std::get_if<double>(&row[at_]);
  }
  const std::string* FindText(const std::vector<Cell>& row) const {
    return std::get_if<std::string>(&row[at_]);
  }

 private:
  size_t at_;
};

// Puts the rows with the largest value of column `key` first; equal ones keep their order.
void SortDescending(Table& table, std::string_view key);

}  // namespace stepscope
