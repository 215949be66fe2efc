// Makes a table of a report's metrics.
#include "report/metrics_table.h"

#include <string>

namespace stepscope {

Table MetricsTable(const Report& report) {
  Table table{.key = std::string(kMetricsTable),
              .title = "Metrics",
              .columns = {{.key = "metric", .title = "metric", .role = Role::kKey},
                          {.key = "title", .title = "title"},
                          {.key = "value", .title = "value"},
                          {.key = "unit", .title = "unit"}},
              .rows = {}};
  for (const Metric& metric : report.metrics)
    table.rows.push_back(
        {metric.key, metric.title, metric.value, std::string(UnitName(metric.unit))});
  return table;
}

}  // namespace stepscope
