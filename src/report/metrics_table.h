// Makes a table of a report's metrics, for readers that ask for rows.
#pragma once

#include <string_view>

#include "stepscope/report.h"

namespace stepscope {

// What people call it: "flops.metrics".
inline constexpr std::string_view kMetricsTable = "metrics";

// A row for each metric, those that are detail too: metric, title, value, unit.
Table MetricsTable(const Report& report);

}  // namespace stepscope
