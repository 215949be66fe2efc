// Lists tables, and makes views of them.
#include "query/catalog.h"

#include <fmt/format.h>

#include <set>

namespace stepscope::query {

std::vector<NamedTable> TablesOf(const OpenRuns& open, const EventScope& scope) {
  std::vector<NamedTable> tables;
  for (const EventTableName& which : EventTables()) {
    if (open.runs.empty()) break;
    tables.push_back({.schema = {},
                      .name = std::string(which.name),
                      .title = {},
                      .table = MakeEventTable(which, scope)});
  }
  for (NamedTable& table : LedgerTables(open.ledgers)) tables.push_back(std::move(table));
  for (NamedTable& table : ReportTables(open.answers)) tables.push_back(std::move(table));
  const size_t count = tables.size();
  for (const Alias& alias : kAliases) {
    for (size_t t = 0; t < count; ++t) {
      if (tables[t].schema != alias.schema || tables[t].name != alias.table) continue;
      NamedTable same = tables[t];
      same.schema.clear();
      same.name = alias.name;
      tables.push_back(std::move(same));
    }
  }
  return tables;
}

std::string FullName(const NamedTable& table) {
  return table.schema.empty() ? table.name : table.schema + "." + table.name;
}

namespace {

// The columns of its view: days become dates.
std::string SelectOf(const SqlTable& table) {
  std::string dates;
  for (const TableColumn& column : table.columns()) {
    if (!column.date) continue;
    const std::string name = Quoted(column.name, '"');
    dates += fmt::format("{}DATE '1970-01-01' + CAST({} AS INTEGER) AS {}",
                         dates.empty() ? "" : ", ", name, name);
  }
  return dates.empty() ? "*" : "* REPLACE (" + dates + ")";
}

}  // namespace

Result<void> AddTables(Connection& connection, const std::vector<NamedTable>& tables,
                       const std::shared_ptr<ScanError>& error) {
  std::set<std::string> schemas;
  for (size_t t = 0; t < tables.size(); ++t) {
    const NamedTable& table = tables[t];
    const std::string function = fmt::format("stepscope_{}", t);
    std::string view = Quoted(table.name, '"');
    if (const auto added = AddFunction(connection, function, table.table, error); !added)
      return added;
    if (!table.schema.empty()) {
      view = Quoted(table.schema, '"') + "." + view;
      const bool first = schemas.insert(table.schema).second;
      if (const auto made =
              first ? connection.Run("CREATE SCHEMA " + Quoted(table.schema, '"')) : Result<void>();
          !made)
        return made;
    }
    const auto made = connection.Run(fmt::format("CREATE VIEW {} AS SELECT {} FROM {}()", view,
                                                 SelectOf(*table.table), function));
    if (!made) return made;
  }
  return {};
}

}  // namespace stepscope::query
