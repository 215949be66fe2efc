// Finds the columns that get a kind, and adds the column that names the kind of each row.
#include "report/kinds.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace stepscope {

void SetKinds(Table& table, std::initializer_list<std::pair<std::string_view, ColumnKind>> kinds) {
  for (const auto& [key, kind] : kinds) {
    const auto column = std::ranges::find(table.columns, key, &Column::key);
    assert(column != table.columns.end());
    if (column != table.columns.end()) column->kind = kind;
  }
}

void AddKindColumn(Table& table) {
  table.kind_column = "kind";
  table.columns.push_back({table.kind_column, "kind", Unit::kNone, Role::kValue, /*detail=*/true});
}

Cell KindCell(ColumnKind kind) { return std::string(ColumnKindName(kind)); }

}  // namespace stepscope
