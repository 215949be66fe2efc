// Selects rows of one table: by conditions, sorted, from a place on, some columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/csv_field.h"
#include "base/exact.h"
#include "base/nearest_name.h"
#include "base/word_pattern.h"
#include "report/humanize.h"
#include "report/ids.h"
#include "report/limit.h"
#include "report/list_findings.h"
#include "report/lookup.h"
#include "report/metrics_table.h"
#include "report/paged.h"
#include "report/quoted_names.h"
#include "stepscope/select.h"

namespace stepscope {
namespace {

constexpr size_t kNameShown = 96;  // bytes of a name in a row

using Row = std::vector<Cell>;

enum class Compare : uint8_t { kNotEqual, kAtMost, kAtLeast, kEqual, kBelow, kAbove, kContains };
constexpr std::array<std::pair<std::string_view, Compare>, 7> kSigns = {
    {{"!=", Compare::kNotEqual},
     {"<=", Compare::kAtMost},
     {">=", Compare::kAtLeast},
     {"=", Compare::kEqual},
     {"<", Compare::kBelow},
     {">", Compare::kAbove},
     {"~", Compare::kContains}}};

// One of --where.
struct Where {
  size_t column = 0;
  Compare compare = Compare::kEqual;
  std::string text;
  std::optional<Limit> limit;
  std::optional<WordPattern> pattern;  // of a text with "*"
};

bool OrdersNumbers(Compare compare) {
  return compare == Compare::kBelow || compare == Compare::kAtMost || compare == Compare::kAbove ||
         compare == Compare::kAtLeast;
}

// Whether the column holds numbers, and no text.
bool HoldsNumbers(const Table& table, size_t column) {
  const auto has = [&](const auto& is) {
    return std::ranges::any_of(table.rows, [&](const Row& row) { return is(row[column]); });
  };
  return has([](const Cell& cell) { return NumberIn(cell) && !IsBlank(cell); }) &&
         !has([](const Cell& cell) { return std::holds_alternative<std::string>(cell); });
}

// A condition that no row can meet is a mistake: "lost>x".
bool NeedsNumber(const Table& table, const Where& where) {
  if (where.limit || where.compare == Compare::kContains) return false;
  if (OrdersNumbers(where.compare)) return true;
  return where.text != "-" && HoldsNumbers(table, where.column);
}

Error NoColumn(const Table& table, std::string_view name) {
  std::vector<std::string> known;
  for (const Column& column : table.columns) known.push_back(column.key);
  const std::string nearest = NearestName(name, known);
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  return {fmt::format("the table has no column '{}'", name), "",
          nearest.empty() ? "columns: " + all : "did you mean '" + nearest + "'?"};
}

Result<size_t> ColumnNamed(const Table& table, std::string_view name) {
  const auto at = FindColumn(table, Trimmed(name));
  if (!at) return std::unexpected(NoColumn(table, name));
  return *at;
}

Result<Where> ReadWhere(const Table& table, std::string_view text) {
  const size_t at = text.find_first_of("!<>=~");
  const auto sign = std::ranges::find_if(kSigns, [&](const auto& entry) {
    return at != text.npos && text.substr(at).starts_with(entry.first);
  });
  if (sign == kSigns.end())
    return std::unexpected(Error{fmt::format("cannot read the condition '{}'", text), "`where`",
                                 "write rank=3, time>10ms, ratio<5%, name~gemm or rank!=0"});
  const auto column = ColumnNamed(table, text.substr(0, at));
  if (!column) return std::unexpected(column.error());
  Where where{.column = *column,
              .compare = sign->second,
              .text = std::string(Trimmed(text.substr(at + sign->first.size()))),
              .limit = {},
              .pattern = {}};
  where.limit = ReadLimit(where.text);
  if (NeedsNumber(table, where)) {
    const std::string_view key = table.columns[where.column].key;
    return std::unexpected(Error{
        fmt::format("the condition '{}' needs a number: '{}' is none", text, where.text), "`where`",
        fmt::format("write a number, a time or a share: {0}>10, {0}>1ms, {0}<5%", key)});
  }
  if (where.text.contains('*'))
    where.pattern.emplace(where.compare == Compare::kContains ? "*" + where.text + "*"
                                                              : where.text);
  return where;
}

bool HoldsFor(const Where& where, const Row& row) {
  const Cell& cell = row[where.column];
  const auto* text = std::get_if<std::string>(&cell);
  if (where.compare == Compare::kContains)
    return text != nullptr &&
           (where.pattern ? where.pattern->IsIn(*text) : Lower(*text).contains(Lower(where.text)));
  const auto number = NumberIn(cell);
  if (!number || !where.limit) {
    const bool equal = text == nullptr
                           ? IsBlank(cell) && where.text == "-"
                           : *text == where.text || (where.pattern && where.pattern->IsIn(*text));
    return where.compare == Compare::kEqual ? equal : where.compare == Compare::kNotEqual && !equal;
  }
  const double value = *number, limit = where.limit->value;
  switch (where.compare) {
    case Compare::kEqual:
      return value == limit;
    case Compare::kNotEqual:
      return value != limit;
    case Compare::kBelow:
      return value < limit;
    case Compare::kAtMost:
      return value <= limit;
    case Compare::kAbove:
      return value > limit;
    case Compare::kAtLeast:
      return value >= limit;
    case Compare::kContains:
      break;
  }
  return false;
}

struct Found {
  const Report* report = nullptr;
  std::shared_ptr<const Table> table;  // of the answer, or made of its metrics
};

Found InReport(const Report& report, const Table& table) {
  return {&report, std::shared_ptr<const Table>(std::shared_ptr<void>(), &table)};
}

Result<Found> FindTableNamed(const ReportSet& answer, std::string_view name) {
  const size_t dot = name.find('.');
  const Report* report = FindReport(answer, name.substr(0, dot));
  if (report != nullptr && report->status == Status::kUnavailable)
    return std::unexpected(
        Error{fmt::format("{} is unavailable: {}", report->analysis, report->why), "", ""});
  if (report != nullptr && dot == name.npos && !report->tables.empty())
    return InReport(*report, report->tables.front());
  if (report != nullptr && dot != name.npos) {
    const std::string_view key = name.substr(dot + 1);
    if (const Table* table = FindTable(report, key)) return InReport(*report, *table);
    if (key == kMetricsTable)
      return Found{report, std::make_shared<const Table>(MetricsTable(*report))};
  }
  std::vector<std::string> known;
  for (const Report& each : answer.reports) {
    for (const Table& table : each.tables) known.push_back(each.analysis + "." + table.key);
  }
  const std::string nearest = NearestName(name, known);
  return std::unexpected(
      Error{fmt::format("there is no table '{}'", name), "",
            nearest.empty() ? "'brief' lists the tables" : "did you mean '" + nearest + "'?"});
}

Result<std::vector<size_t>> ColumnsOf(const Table& table, const RowQuery& query) {
  std::vector<size_t> columns;
  for (const std::string& name : query.columns) {
    const auto column = ColumnNamed(table, name);
    if (!column) return std::unexpected(column.error());
    columns.push_back(*column);
  }
  if (!columns.empty()) return columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].detail) columns.push_back(c);
  }
  return columns;
}

std::string HeadLine(const Table& table, const std::vector<size_t>& columns) {
  std::string line = "id";
  for (const size_t c : columns) {
    line += "," + table.columns[c].key;
    const std::string_view unit = UnitName(table.columns[c].unit);
    if (!unit.empty() && table.columns[c].unit != Unit::kCount) line += fmt::format("[{}]", unit);
  }
  return line;
}

std::string RowLine(const std::string& id, const Row& row, const std::vector<size_t>& columns) {
  std::string line = id;
  for (const size_t c : columns) {
    line += ',';
    const Cell& cell = row[c];
    if (const auto* text = std::get_if<std::string>(&cell))
      AppendCsvField(line, CutName(*text, kNameShown));
    if (const auto* whole = std::get_if<int64_t>(&cell)) AppendExact(line, *whole);
    const auto* real = std::get_if<double>(&cell);
    if (real != nullptr && !IsBlank(cell)) AppendExact(line, *real);
  }
  return line;
}

// The rows for which all conditions hold, in order.
Result<std::vector<const Row*>> Matching(const Table& table, const RowQuery& query) {
  std::vector<Where> conditions;
  for (const std::string& text : query.where) {
    auto where = ReadWhere(table, text);
    if (!where) return std::unexpected(where.error());
    conditions.push_back(*std::move(where));
  }
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) {
    if (std::ranges::all_of(conditions, [&](const Where& w) { return HoldsFor(w, row); }))
      rows.push_back(&row);
  }
  if (query.sort.empty()) return rows;
  const auto column = ColumnNamed(table, query.sort);
  if (!column) return std::unexpected(column.error());
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [&](const Row* row) { return NumberIn((*row)[*column]).value_or(0); });
  return rows;
}

}  // namespace

// The names of all tables, a line each.
static Result<std::string> ListTables(const ReportSet& answer, const RowQuery& query) {
  const std::vector<std::string> tables = ListTables(answer);
  return Paged<std::string>(
      "", tables,
      {.query = query,
       .noun = "table",
       .hint = "take the last name that was printed",
       .all = tables.size()},
      [](const std::string& line) { return line.substr(0, line.find(' ')); },
      [](const std::string& line, const std::string&) { return line; });
}

Result<std::string> SelectRows(const ReportSet& answer, const RowQuery& query) {
  if (query.table == "findings") return ListFindings(answer, query);
  if (query.table == "tables") return ListTables(answer, query);
  const auto found = FindTableNamed(answer, query.table);
  if (!found) return std::unexpected(found.error());
  const auto& [report, table] = *found;
  const auto columns = ColumnsOf(*table, query);
  if (!columns) return std::unexpected(columns.error());
  const auto rows = Matching(*table, query);
  if (!rows) return std::unexpected(rows.error());
  return Paged<const Row*>(
      HeadLine(*table, *columns) + "\n", *rows,
      {.query = query,
       .noun = "row",
       .hint = "take the last id that was printed, with equal conditions",
       .all = table->rows.size()},
      [&](const Row* row) { return IdOf(*report, *table, *row); },
      [&](const Row* row, const std::string& id) { return RowLine(id, *row, *columns); });
}

}  // namespace stepscope
