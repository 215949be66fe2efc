// Writes rows as lines of tab-separated text, which PostgreSQL's COPY and ClickHouse both read.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "stepscope/goodput_rows.h"

namespace stepscope::goodput {

inline constexpr size_t kRowTables = 5;

// Whether its rows are of days, by whose months they are dropped.
inline bool HasDays(const GoodputRowTableInfo& info) {
  return info.table != GoodputRowTable::kLimits;
}

// A text as databases hold it: valid UTF-8 without a NUL. Different texts stay different.
std::string StoredText(std::string_view text);

// "2026-05-31" of days since 1970.
std::string DateOf(int64_t day);
// The month of a day as months since year 0: 24312 is January 2026. And its first day.
int64_t MonthOf(int64_t day);
int64_t FirstDayOf(int64_t month);

// One cell behind the last: escaped, or \N.
void AppendCell(const Cell& cell, GoodputRowType type, std::string& line);

// Rows of several jobs, by table.
struct RowText {
  std::array<std::string, kRowTables> lines;
  std::array<std::set<int64_t>, kRowTables> months;  // of their days
  int64_t rows = 0;

  // Adds a row, with `more` as the last cell unless it is empty. Rows of days before `from_day` are
  // left out.
  void Add(const GoodputRowTableInfo& info, std::span<const Cell> row, std::string_view more,
           int64_t from_day);
};

}  // namespace stepscope::goodput
