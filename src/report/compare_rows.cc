// Implements the comparison of rows.
#include "report/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "report/compare_sides.h"
#include "report/humanize.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

bool IsText(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

// Whether all rows have the same value in the column.
bool IsConstant(const Table& table, size_t column) {
  return std::ranges::all_of(
      table.rows, [&](const auto& row) { return row[column] == table.rows.front()[column]; });
}

// Two tables of one key, and how their rows match.
class RowMatch {
 public:
  RowMatch(const Table& a, const Table& b) : a_(a), b_(b) {
    std::optional<Pair> dropped;  // the first key that need not match
    for (size_t c = 0; c < a.columns.size(); ++c) {
      const auto other = FindColumn(b, a.columns[c].key);
      if (!other) continue;
      if (a.columns[c].key == a.kind_column && a.columns[c].role == Role::kValue) continue;
      if (a.columns[c].role == Role::kValue) {
        values_.push_back({c, *other});
      } else if (MustAgree(c, *other)) {
        keys_.push_back({c, *other});
      } else if (!dropped) {
        dropped = {c, *other};
      }
    }
    // The key is still shown in the only row.
    if (keys_.empty() && dropped) {
      keys_.push_back(*dropped);
      only_key_ = fmt::format("{} before, {} after", HumanCell(a.rows.front()[dropped->a], {}),
                              HumanCell(b.rows.front()[dropped->b], {}));
    }
  }

  Table Build() const {
    Table out{.key = a_.key, .title = a_.title, .text_rows = std::min<size_t>(a_.text_rows, 8)};
    for (const Pair& key : keys_) {
      out.columns.push_back(a_.columns[key.a]);
      out.columns.back().words |= !only_key_.empty();
    }
    for (const Pair& value : values_) {
      std::ranges::move(Sides(a_.columns[value.a]), std::back_inserter(out.columns));
    }
    std::map<std::vector<Cell>, std::pair<const Cells*, const Cells*>> rows;
    std::vector<std::vector<Cell>> order;
    for (const Cells& row : a_.rows) {
      auto [at, is_new] = rows.try_emplace(KeyOf(row, &Pair::a));
      if (is_new) order.push_back(at->first);
      at->second.first = &row;
    }
    for (const Cells& row : b_.rows) {
      auto [at, is_new] = rows.try_emplace(KeyOf(row, &Pair::b));
      if (is_new) order.push_back(at->first);
      at->second.second = &row;
    }
    for (const auto& key : order) {
      const auto& [a, b] = rows[key];
      out.rows.push_back(key);
      for (const Pair& value : values_) {
        std::ranges::move(
            SideCells(a == nullptr ? Cell() : (*a)[value.a], b == nullptr ? Cell() : (*b)[value.b],
                      a_.columns[value.a].unit),
            std::back_inserter(out.rows.back()));
      }
    }
    return out;
  }

 private:
  using Cells = std::vector<Cell>;
  struct Pair {
    size_t a, b;
  };
  bool MustAgree(size_t a, size_t b) const {
    if (a_.rows.empty() || b_.rows.empty() || !IsConstant(a_, a) || !IsConstant(b_, b)) return true;
    const Cell &in_a = a_.rows.front()[a], &in_b = b_.rows.front()[b];
    return in_a == in_b || IsText(in_a) || IsText(in_b);
  }
  Cells KeyOf(const Cells& row, size_t Pair::* side) const {
    if (!only_key_.empty()) return {only_key_};
    Cells key;
    for (const Pair& column : keys_) key.push_back(row[column.*side]);
    return key;
  }

  const Table& a_;
  const Table& b_;
  std::vector<Pair> keys_, values_;
  std::string only_key_;  // of the only row, if its keys do not match
};

}  // namespace

Table MatchRows(const Table& a, const Table& b) { return RowMatch(a, b).Build(); }

}  // namespace stepscope::comparison
