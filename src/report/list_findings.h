// Lists all findings with their ids, for readers with little room.
#pragma once

#include <string>

#include "stepscope/select.h"

namespace stepscope {

// One line each, first place first: "[compute#3fa2] high, 1.59 ms of 6.65 ms per step: Rank 3
// ...", as SelectRows() shows rows. Only `top`, `after` and `budget` of the query count.
Result<std::string> ListFindings(const ReportSet& answer, const RowQuery& query);

}  // namespace stepscope
