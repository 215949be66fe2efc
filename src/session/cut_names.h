// Cuts the tables of a report that have a row for each of very many names.
#pragma once

#include <cstdint>

#include "stepscope/report.h"

namespace stepscope {

// Of a table with more than `most` different texts in one of its key columns the rows of those with
// the most time stay (the most rows where it has no times), in their order. The report's notes say
// how many rows and names were left out, and what their times sum to. 0: nothing is cut.
void CutNames(Report& report, int64_t most);

}  // namespace stepscope
