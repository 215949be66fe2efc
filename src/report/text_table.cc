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
constexpr size_t kMostOfKeys = 6;      // tenths of a line, for what is repeated in each part
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

PageTable ColumnsOf(const PageTable& table, std::span<const size_t> columns) {
  PageTable part{.title = table.title, .columns = {}, .rows = {}, .remark = table.remark};
  for (const size_t c : columns) part.columns.push_back(table.columns[c]);
  for (const auto& row : table.rows) {
    auto& cells = part.rows.emplace_back();
    for (const size_t c : columns) cells.push_back(row[c]);
  }
  return part;
}

// As several tables that have room with text as short as it may be.
std::vector<PageTable> SplitToFit(const PageTable& table, size_t width) {
  std::vector<size_t> widths = NaturalWidths(table);
  for (size_t c = 0; c < widths.size(); ++c) {
    if (table.columns[c].is_text) widths[c] = std::min(widths[c], kNarrowestText);
  }
  std::vector<size_t> keys;
  size_t of_keys = 0;
  const auto is_repeated = [&](size_t c) { return std::ranges::binary_search(keys, c); };
  for (size_t c = 0; c < widths.size(); ++c) {
    if (!table.columns[c].is_key) continue;
    if (!keys.empty() && of_keys + widths[c] > kMostOfKeys * width / 10) continue;
    keys.push_back(c);
    of_keys += widths[c] + kGap;
  }
  std::vector<std::vector<size_t>> groups;
  size_t used = 0;
  for (size_t c = 0; c < widths.size(); ++c) {
    if (is_repeated(c)) continue;
    if (groups.empty() || used + widths[c] > width) {
      groups.emplace_back();
      used = of_keys;
    }
    groups.back().push_back(c);
    used += widths[c] + kGap;
  }
  if (groups.size() < 2) return {table};
  std::vector<PageTable> parts;
  for (std::vector<size_t>& group : groups) {
    group.insert(group.begin(), keys.begin(), keys.end());
    parts.push_back(ColumnsOf(table, group));
  }
  return parts;
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

std::vector<std::vector<std::string>> AlignToFit(const PageTable& table, size_t width) {
  constexpr int kTries = 4;
  std::vector<std::vector<std::string>> first;
  size_t room = width;
  for (int i = 0; i < kTries; ++i) {
    std::vector<std::vector<std::string>> parts;
    size_t widest = 0;
    for (const PageTable& part : SplitToFit(table, room)) {
      parts.push_back(AlignTable(part, room));
      for (const std::string& line : parts.back()) widest = std::max(widest, DisplayWidth(line));
    }
    if (widest <= width) return parts;
    if (first.empty()) first = std::move(parts);
    // Names that must stay longer to be told apart took this.
    if (widest - width >= room) break;
    room -= widest - width;
  }
  return first;
}

}  // namespace stepscope
