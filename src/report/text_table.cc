// Wraps prose and aligns tables for terminals.
#include "report/text_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>

#include "report/printable.h"

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

// The longest prefix of `text` that another of `cells` shares, in characters.
size_t SharedFront(std::string_view text, std::span<const std::string_view> cells) {
  size_t shared = 0;
  for (const std::string_view other : cells) {
    if (other == text) continue;
    const auto [here, there] = std::ranges::mismatch(text, other);
    shared = std::max(shared, static_cast<size_t>(here - text.begin()));
  }
  return shared;
}

// Shortens the cells of a text column. If names share a prefix longer than can be shown, as those
// of generated GEMM kernels do, the cut is in the shared part.
void ShortenColumn(std::vector<std::vector<std::string>>& rows, size_t column, size_t width) {
  std::vector<std::string> whole;
  for (const auto& row : rows) whole.push_back(row[column]);
  const std::vector<std::string_view> cells(whole.begin(), whole.end());
  for (size_t r = 0; r < rows.size(); ++r) {
    if (DisplayWidth(cells[r]) <= width) continue;
    const size_t front = width / 3;
    const size_t shared = SharedFront(cells[r], cells);
    const bool ascii =
        std::ranges::all_of(cells[r], [](char c) { return static_cast<signed char>(c) >= 0; });
    if (!ascii || shared <= width * 2 / 3 || front < 4) {
      rows[r][column] = ShortenMiddle(cells[r], width);
      continue;
    }
    // The end is shown from a little before the difference; all of it, if that fits.
    const size_t room = width - front - 1;
    const size_t from = std::min(shared - std::min<size_t>(shared, 4), cells[r].size() - room);
    const std::string_view rest = cells[r].substr(from);
    rows[r][column] = std::string(cells[r].substr(0, front)) + "…" + ShortenMiddle(rest, room);
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
    if (table.columns[c].is_text) ShortenColumn(rows, c, widths[c]);
  }
  for (const auto& row : rows) {
    lines.push_back(
        AlignRow(table.columns, widths, [&](size_t c) -> const std::string& { return row[c]; }));
  }
  return lines;
}

}  // namespace stepscope
