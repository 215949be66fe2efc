// Turns a table of a report, which is rows, into columns.
#pragma once

#include "stepscope/columns.h"
#include "stepscope/report.h"

namespace stepscope {

// One column for each of the table's, named by its key: whole numbers, fractions or text, as its
// cells are. A column that mixes whole numbers with fractions is of fractions; one with any text is
// of text. One without a value is of what its unit measures.
Columns ColumnsOf(const Table& table);

}  // namespace stepscope
