// Columns and cells of the statistics that several tables give: those of pandas' describe().
#pragma once

#include <vector>

#include "base/value_statistics.h"
#include "stepscope/report.h"

namespace stepscope {

// count, mean, stddev, min, p25, p50, p75, max. `counted` is the title of the count: "gaps".
std::vector<Column> StatisticsColumns(Phrase counted, Unit unit);

// Their cells. Times are rounded to whole ns; a single value has no standard deviation.
std::vector<Cell> StatisticsCells(const ValueStatistics& statistics, Unit unit);

}  // namespace stepscope
