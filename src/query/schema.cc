// Lists tables and their columns as a report.
#include <utility>

#include "query/catalog.h"
#include "query/fill_vector.h"
#include "report/columns.h"
#include "stepscope/query.h"

namespace stepscope {
namespace query {
namespace {

std::string TypeName(ColumnType type) {
  switch (SqlTypeOf(type)) {
    case abi::kTinyInt:
      return "TINYINT";
    case abi::kSmallInt:
      return "SMALLINT";
    case abi::kInteger:
      return "INTEGER";
    case abi::kBigInt:
      return "BIGINT";
    case abi::kDouble:
      return "DOUBLE";
    default:
      return "VARCHAR";
  }
}

Table ColumnsOfTables(const std::vector<NamedTable>& tables) {
  Table table{.key = "columns",
              .title = "Tables and columns",
              .columns = {KeyColumn("table", "table"), KeyColumn("column", "column"),
                          ValueColumn("type", "type"), ValueColumn("unit", "unit"),
                          ValueColumn("title", "title"), CountColumn("rows", "rows")},
              .rows = {}};
  for (const NamedTable& one : tables) {
    const int64_t rows = one.table->rows();
    for (const TableColumn& column : one.table->columns())
      table.rows.push_back({FullName(one), column.name,
                            column.date ? "DATE" : TypeName(column.type), TextCell(column.unit),
                            TextCell(column.title),
                            one.schema.empty() && rows == 0 ? Cell() : Cell(rows)});
  }
  return table;
}

}  // namespace
}  // namespace query

Result<ReportSet> QuerySchema(std::span<const std::string> paths, const QueryOptions& options) {
  const auto open = query::OpenPaths(
      paths, {.analyses = {}, .all = true, .events = true, .ledgers = true}, options, options.stop);
  if (!open) return std::unexpected(open.error());
  Report report{.analysis = "schema", .title = "Tables of queries"};
  report.tables.push_back(query::ColumnsOfTables(query::TablesOf(*open, {})));
  ReportSet answer;
  if (!open->answers.empty()) answer.run = open->answers.front().answer.run;
  answer.verdict = report.headline = open->answers.empty()
                                         ? "Tables that a query can name, for this ledger."
                                         : "Tables that a query can name, for these traces.";
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace stepscope
