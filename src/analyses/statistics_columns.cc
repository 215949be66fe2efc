// Makes the columns and cells of statistics.
#include "analyses/statistics_columns.h"

#include <utility>

#include "base/saturate.h"
#include "base/value_statistics.h"
#include "report/columns.h"

namespace stepscope {

std::vector<Column> StatisticsColumns(Phrase counted, Unit unit) {
  return {CountColumn("count", std::move(counted)), ValueColumn("mean", "mean", unit),
          ValueColumn("stddev", "std dev", unit),   ValueColumn("min", "min", unit),
          ValueColumn("p25", "p25", unit),          ValueColumn("p50", "p50", unit),
          ValueColumn("p75", "p75", unit),          ValueColumn("max", "max", unit)};
}

void AddStatistics(Table& table, std::vector<Cell> keys, std::span<int64_t> values, Unit unit) {
  const ValueStatistics s = DescribeValues(values);
  const auto cell = [&](double value) -> Cell {
    return unit == Unit::kNanoseconds ? Cell(RoundToInt64(value)) : Cell(value);
  };
  const bool any = s.count > 0;
  keys.insert(keys.end(), {s.count, When(any, cell(s.mean)), When(s.count > 1, cell(s.stddev)),
                           When(any, cell(s.min)), When(any, cell(s.p25)), When(any, cell(s.p50)),
                           When(any, cell(s.p75)), When(any, cell(s.max))});
  table.rows.push_back(std::move(keys));
}

}  // namespace stepscope
