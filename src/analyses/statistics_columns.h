// Columns and cells of the statistics that several tables give: those of pandas' describe().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

// count, mean, stddev, min, p25, p50, p75, max. `counted` is the title of the count: "gaps".
std::vector<Column> StatisticsColumns(Phrase counted, Unit unit);

// Adds a row of `keys` and the cells of these columns. Times are rounded to whole ns; a single
// value has no standard deviation. Reorders `values`.
void AddStatistics(Table& table, std::vector<Cell> keys, std::span<int64_t> values, Unit unit);

}  // namespace stepscope
