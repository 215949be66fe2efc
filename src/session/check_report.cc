// Checks reports that others than our analyses made, and reads the names that they give.
#include "session/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ascii.h"
#include "base/nearest_name.h"
#include "stepscope/plugin.h"

namespace stepscope {
namespace {

bool IsSnakeCase(std::string_view key) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '_'; };
  return !key.empty() && key.front() >= 'a' && key.front() <= 'z' && std::ranges::all_of(key, fits);
}

// The keys are of their form, and each is there once.
template <class Items>
Result<void> CheckKeys(const Items& items, std::string_view what, const std::string& where) {
  std::set<std::string_view> seen;
  for (const auto& item : items) {
    if (auto checked = CheckKey(item.key, what, where); !checked) return checked;
    if (!seen.insert(item.key).second)
      return std::unexpected(Error{fmt::format("there are two {}s '{}'", what, item.key), where,
                                   "give each a key of its own"});
  }
  return {};
}

bool IsNumber(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell) ||
         std::holds_alternative<std::monostate>(cell);
}

Result<void> CheckRowKeys(const Table& table, const std::string& where) {
  std::vector<size_t> keys;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].role == Role::kKey) keys.push_back(c);
  }
  if (keys.empty()) return {};
  std::set<std::vector<Cell>> seen;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<Cell> key;
    for (const size_t c : keys) key.push_back(table.rows[r][c]);
    if (seen.insert(std::move(key)).second) continue;
    std::vector<std::string_view> names;
    for (const size_t c : keys) names.push_back(table.columns[c].key);
    return std::unexpected(Error{
        fmt::format("row {} has the same keys as a row before it ({})", r, fmt::join(names, ", ")),
        where, "key columns say which row it is: add one that tells them apart"});
  }
  return {};
}

Result<void> CheckBars(const Table& table, const std::string& where) {
  if (table.bars.empty()) return {};
  const auto column = std::ranges::find(table.columns, table.bars, &Column::key);
  if (column == table.columns.end())
    return std::unexpected(Error{"there is no column '" + table.bars + "' to draw", where, ""});
  const auto c = static_cast<size_t>(column - table.columns.begin());
  const bool numbers =
      std::ranges::all_of(table.rows, [&](const auto& row) { return IsNumber(row[c]); });
  if (numbers) return {};
  return std::unexpected(
      Error{"bars of the column '" + table.bars + "', which holds text", where, ""});
}

// A column with a unit holds numbers.
Result<void> CheckUnits(const Table& table, const std::string& where) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (column.unit == Unit::kNone) continue;
    for (const auto& row : table.rows) {
      if (IsNumber(row[c])) continue;
      return std::unexpected(
          Error{fmt::format("the column '{}' has the unit {} and holds the text '{}'", column.key,
                            UnitName(column.unit), std::get<std::string>(row[c])),
                where, "leave out the unit of text"});
    }
  }
  return {};
}

Result<void> CheckTable(const Table& table) {
  const std::string where = "table '" + table.key + "'";
  if (table.columns.empty()) return std::unexpected(Error{"there are no columns", where, ""});
  if (auto checked = CheckKeys(table.columns, "column", where); !checked) return checked;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].size() == table.columns.size()) continue;
    return std::unexpected(Error{fmt::format("row {} has {} cells, and there are {} columns", r,
                                             table.rows[r].size(), table.columns.size()),
                                 where, ""});
  }
  if (auto checked = CheckUnits(table, where); !checked) return checked;
  if (auto checked = CheckBars(table, where); !checked) return checked;
  return CheckRowKeys(table, where);
}

// The value of this name among `count` of them; fails with the nearest.
template <class Value, class NameOf>
Result<Value> ParseName(std::string_view name, std::string_view what, size_t count,
                        const NameOf& name_of) {
  std::vector<std::string> known;
  for (size_t v = 0; v < count; ++v) {
    const auto value = static_cast<Value>(v);
    if (name_of(value) == name) return value;
    if (!name_of(value).empty()) known.emplace_back(name_of(value));
  }
  const std::string near = NearestName(name, known);
  return std::unexpected(Error{fmt::format("there is no {} '{}'", what, name), "",
                               near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                                            : "did you mean '" + near + "'?"});
}

}  // namespace

Result<void> CheckKey(std::string_view key, std::string_view what, const std::string& where) {
  if (IsSnakeCase(key)) return {};
  return std::unexpected(Error{fmt::format("'{}' is not a name ({})", key, what), where,
                               "names are small letters, digits and _, and begin with a letter"});
}

Result<void> CheckReport(const Report& report) {
  if (auto checked = CheckKeys(report.metrics, "metric", ""); !checked) return checked;
  if (auto checked = CheckKeys(report.tables, "table", ""); !checked) return checked;
  if (auto checked = CheckKeys(report.series, "curve", ""); !checked) return checked;
  for (const Table& table : report.tables) {
    if (auto checked = CheckTable(table); !checked) return checked;
  }
  for (const Finding& finding : report.findings) {
    if (finding.message.empty())
      return std::unexpected(Error{"a finding has no message", "", "say what the problem is"});
    if (finding.table.empty() ||
        std::ranges::find(report.tables, finding.table, &Table::key) != report.tables.end()) {
      continue;
    }
    return std::unexpected(Error{
        "a finding names the table '" + finding.table + "', which is not there", "findings", ""});
  }
  return {};
}

Result<Unit> ParseUnit(std::string_view name) {
  // The last one has the name of another.
  constexpr size_t kNamed = static_cast<size_t>(Unit::kRelativeChange);
  return ParseName<Unit>(name, "unit", kNamed, UnitName);
}

Result<ColumnKind> ParseColumnKind(std::string_view name) {
  return ParseName<ColumnKind>(name, "kind", static_cast<size_t>(ColumnKind::kCount),
                               ColumnKindName);
}

Result<Severity> ParseSeverity(std::string_view name) {
  return ParseName<Severity>(name, "severity", 3, SeverityName);
}

Result<CauseKind> ParseCause(std::string_view name) {
  return ParseName<CauseKind>(name, "cause", static_cast<size_t>(CauseKind::kCount), CauseName);
}

}  // namespace stepscope
