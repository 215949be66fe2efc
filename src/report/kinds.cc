// Finds the columns that get a kind, and adds the column that names the kind of each row.
#include "report/kinds.h"

#include <string>

#include "report/columns.h"

namespace stepscope {

void SetKinds(Table& table, std::initializer_list<std::pair<std::string_view, ColumnKind>> kinds) {
  for (const auto& [key, kind] : kinds) table.columns[ColumnAt(table, key)].kind = kind;
}

void AddKindColumn(Table& table) {
  table.kind_column = "kind";
  table.columns.push_back({table.kind_column, "kind", Unit::kNone, Role::kValue, /*detail=*/true});
}

Cell KindCell(ColumnKind kind) { return std::string(ColumnKindName(kind)); }

}  // namespace stepscope
