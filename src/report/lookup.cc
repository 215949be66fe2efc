// Searches by key.
#include "report/lookup.h"

#include <algorithm>

namespace stepscope {

const Report* FindReport(const ReportSet& answer, std::string_view analysis) {
  const auto at = std::ranges::find(answer.reports, analysis, &Report::analysis);
  return at == answer.reports.end() ? nullptr : &*at;
}

const Table* FindTable(const Report* report, std::string_view key) {
  if (report == nullptr) return nullptr;
  const auto at = std::ranges::find(report->tables, key, &Table::key);
  return at == report->tables.end() ? nullptr : &*at;
}

const Metric* FindMetric(const Report* report, std::string_view key) {
  if (report == nullptr) return nullptr;
  const auto at = std::ranges::find(report->metrics, key, &Metric::key);
  return at == report->metrics.end() ? nullptr : &*at;
}

std::optional<size_t> FindColumn(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table.columns, key, &Column::key);
  if (at == table.columns.end()) return std::nullopt;
  return static_cast<size_t>(at - table.columns.begin());
}

std::set<int64_t> RanksRead(const ReportSet& answer) {
  std::set<int64_t> ranks;
  for (const InputFile& file : answer.run.files) {
    if (file.rank >= 0) ranks.insert(file.rank);
  }
  return ranks;
}

int64_t CountOfNotes(const RunInfo& run, std::string_view name) {
  int64_t count = 0;
  for (const Note& note : run.notes) {
    if (note.name == name) count += note.count;
  }
  return count;
}

}  // namespace stepscope
