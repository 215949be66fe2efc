// Ranks the names of a table by their time, and keeps the first.
#include "session/cut_names.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyses/kept_names.h"
#include "base/saturate.h"

namespace stepscope {
namespace {

using Row = std::vector<Cell>;

std::string_view NameIn(const Row& row, size_t column) {
  const auto* text = std::get_if<std::string>(&row[column]);
  return text == nullptr ? std::string_view() : *text;
}

// The first column of times that is no key.
std::optional<size_t> TimesOf(const Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.role != Role::kKey && column.unit == Unit::kNanoseconds) return c;
  }
  return std::nullopt;
}

int64_t TimeIn(const Row& row, const std::optional<size_t>& column) {
  const auto* time = column ? std::get_if<int64_t>(&row[*column]) : nullptr;
  return time == nullptr ? 0 : *time;
}

// The names of a table, numbered in the order in which they come.
struct Named {
  std::vector<uint32_t> of_row;
  std::vector<int64_t> sums;  // of each name: the times of its rows, or how many there are
};

Named NamesOf(const Table& table, size_t names, const std::optional<size_t>& times) {
  Named named;
  named.of_row.reserve(table.rows.size());
  std::unordered_map<std::string_view, uint32_t> numbers;
  numbers.reserve(table.rows.size());
  for (const Row& row : table.rows) {
    const auto next = static_cast<uint32_t>(named.sums.size());
    const uint32_t name = numbers.try_emplace(NameIn(row, names), next).first->second;
    if (name == next) named.sums.push_back(0);
    named.of_row.push_back(name);
    named.sums[name] = AddSaturated(named.sums[name], times ? TimeIn(row, times) : 1);
  }
  return named;
}

// Whether each name is among the `most` with the largest sums; of equal ones the first are.
std::vector<bool> Largest(const std::vector<int64_t>& sums, size_t most) {
  std::vector<uint32_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::nth_element(order, last, [&](uint32_t a, uint32_t b) {
    return std::pair(-sums[a], a) < std::pair(-sums[b], b);
  });
  std::vector<bool> largest(sums.size());
  for (auto name = order.begin(); name != last; ++name) largest[*name] = true;
  return largest;
}

void CutTable(Table& table, size_t names, size_t most, std::vector<Note>& notes) {
  const std::optional<size_t> times = TimesOf(table);
  const Named named = NamesOf(table, names, times);
  if (named.sums.size() <= most) return;
  const std::vector<bool> stays = Largest(named.sums, most);
  int64_t time = 0;
  std::vector<Row> rows;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (stays[named.of_row[r]])
      rows.push_back(std::move(table.rows[r]));
    else
      time = AddSaturated(time, TimeIn(table.rows[r], times));
  }
  const size_t left_out = table.rows.size() - rows.size();
  table.rows = std::move(rows);
  notes.push_back(
      NamesLeftOut(table.key, static_cast<int64_t>(left_out), named.sums.size() - most, time));
}

}  // namespace

void CutNames(Report& report, int64_t most) {
  if (most <= 0) return;
  for (Table& table : report.tables) {
    if (std::cmp_less_equal(table.rows.size(), most)) continue;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].role == Role::kKey && !table.columns[c].words)
        CutTable(table, c, static_cast<size_t>(most), report.notes);
    }
  }
}

}  // namespace stepscope
