// Finds a report, a table or a column by its key, where there may be none.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "stepscope/report.h"

namespace stepscope {

// Null: the answer has none.
const Report* FindReport(const ReportSet& answer, std::string_view analysis);
// Null: the report has none, or is null itself.
const Table* FindTable(const Report* report, std::string_view key);
// Null: the report has none, or is null itself.
const Metric* FindMetric(const Report* report, std::string_view key);
std::optional<size_t> FindColumn(const Table& table, std::string_view key);

// Numbers of the ranks whose files were read.
std::set<int64_t> RanksRead(const ReportSet& answer);

// How much notes of this name count in all.
int64_t CountOfNotes(const RunInfo& run, std::string_view name);

// A whole number; none where there is another value, or no metric.
inline std::optional<int64_t> WholeIn(const Cell& cell) {
  const auto* number = std::get_if<int64_t>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}
inline std::optional<int64_t> WholeIn(const Metric* metric) {
  return metric == nullptr ? std::nullopt : WholeIn(metric->value);
}

}  // namespace stepscope
