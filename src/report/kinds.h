// Sets the kinds of a table's columns and rows.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "stepscope/report.h"

namespace stepscope {

// Sets the kinds of the columns with these keys; the table has each of them.
void SetKinds(Table& table, std::initializer_list<std::pair<std::string_view, ColumnKind>> kinds);

// Appends a column "kind", which JSON and CSV hold: KindCell() is then the last cell of each row.
void AddKindColumn(Table& table);
Cell KindCell(ColumnKind kind);

}  // namespace stepscope
