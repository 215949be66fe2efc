// Compares two tables of one key row by row.
#pragma once

#include "stepscope/report.h"

namespace stepscope::comparison {

// Rows match by the keys that both tables have. A number that is the same in all rows of a side
// need not match, such as the rank of runs of one rank. A name must match.
Table MatchRows(const Table& a, const Table& b);

}  // namespace stepscope::comparison
