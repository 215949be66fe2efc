// Wraps prose and aligns tables for terminals.
#include "report/text_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

#include "report/display_width.h"
#include "report/shorten_names.h"

namespace stepscope {
namespace {

constexpr size_t kGap = 2;             // spaces between two columns
constexpr size_t kNarrowestText = 12;  // a text column is never shortened below this

std::vector<size_t> NaturalWidths(const PageTable& table) {
  std::vector<size_t> widths;
  for (const PageColumn& column : table.columns) widths.push_back(DisplayWidth(column.title));
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(row[c]));
    }
  }
  return widths;
}

// Takes columns from the widest text column, one at a time, so that long columns end up equal.
void Squeeze(std::span<const PageColumn> columns, size_t room, std::vector<size_t>& widths) {
  size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > room) {
    size_t* widest = nullptr;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (columns[c].is_text && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr || *widest <= kNarrowestText) return;
    --*widest;
    --total;
  }
}

std::string AlignRow(std::span<const PageColumn> columns, std::span<const size_t> widths,
                     const auto& cell_at) {
  std::string line;
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string cell = ShortenMiddle(cell_at(c), widths[c]);
    const std::string pad(widths[c] - DisplayWidth(cell), ' ');
    if (c > 0) line.append(kGap, ' ');
    line += columns[c].is_text ? cell + pad : pad + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Shortens the cells of a text column to `width`, or to what tells them apart; returns that.
size_t ShortenColumn(std::vector<std::vector<std::string>>& rows, size_t column, size_t width) {
  std::vector<std::string_view> cells;
  for (const auto& row : rows) cells.push_back(row[column]);
  ShortNames names = ShortenNames(cells, width);
  for (size_t r = 0; r < rows.size(); ++r) rows[r][column] = std::move(names.names[r]);
  return std::max(width, names.width);
}

}  // namespace

std::vector<std::string> AlignTable(const PageTable& table, size_t width) {
  std::vector<size_t> widths = NaturalWidths(table);
  Squeeze(table.columns, width, widths);
  std::vector<std::string> lines;
  lines.reserve(table.rows.size() + 1);
  lines.push_back(AlignRow(table.columns, widths,
                           [&](size_t c) -> const std::string& { return table.columns[c].title; }));
  auto rows = table.rows;
  for (size_t c = 0; c < widths.size(); ++c) {
    if (table.columns[c].is_text) widths[c] = ShortenColumn(rows, c, widths[c]);
  }
  for (const auto& row : rows) {
    lines.push_back(
        AlignRow(table.columns, widths, [&](size_t c) -> const std::string& { return row[c]; }));
  }
  return lines;
}

}  // namespace stepscope
