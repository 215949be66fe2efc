// Looks things up in an answer by name.
#include "tests/answer.h"

#include <algorithm>
#include <stdexcept>

namespace stepscope::testing {

const Cell& Row::At(std::string_view column) const {
  const auto at = std::ranges::find(table_->columns, column, &Column::key);
  if (at == table_->columns.end()) {
    throw std::runtime_error(table_->key + " has no column " + std::string(column));
  }
  return cells_->at(static_cast<size_t>(at - table_->columns.begin()));
}

bool Row::Has(std::string_view column) const {
  return !std::holds_alternative<std::monostate>(At(column));
}

const Report& ReportOf(const ReportSet& answer, std::string_view analysis) {
  const auto at = std::ranges::find(answer.reports, analysis, &Report::analysis);
  if (at == answer.reports.end()) {
    throw std::runtime_error("no report of " + std::string(analysis));
  }
  return *at;
}

std::vector<Row> RowsOf(const ReportSet& answer, std::string_view analysis,
                        std::string_view table) {
  std::vector<Row> rows;
  for (const Table& candidate : ReportOf(answer, analysis).tables) {
    if (candidate.key != table) continue;
    for (const auto& cells : candidate.rows) rows.emplace_back(candidate, cells);
  }
  return rows;
}

const Cell& MetricOf(const ReportSet& answer, std::string_view analysis, std::string_view key) {
  for (const Metric& metric : ReportOf(answer, analysis).metrics) {
    if (metric.key == key) return metric.value;
  }
  throw std::runtime_error("no metric " + std::string(key));
}

int64_t SumOf(const std::vector<Row>& rows, std::string_view column) {
  int64_t sum = 0;
  for (const Row& row : rows) sum += row.Int(column);
  return sum;
}

std::vector<std::string> FindingsWithoutEvidence(const ReportSet& answer) {
  std::vector<std::string> without;
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      // What cannot be read is in notes alone.
      const auto tells = [&](const Note& note) { return finding.because.contains(note.message); };
      if (finding.table.empty() && std::ranges::any_of(answer.run.notes, tells)) continue;
      const auto table = std::ranges::find(report.tables, finding.table, &Table::key);
      if (table == report.tables.end() || table->rows.empty()) {
        without.push_back(report.analysis + ": " + finding.message);
      }
    }
  }
  return without;
}

namespace {

bool IsKind(const Cell& cell) {
  for (int k = 1; k < static_cast<int>(ColumnKind::kCount); ++k) {
    if (cell == Cell(std::string(ColumnKindName(static_cast<ColumnKind>(k))))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> UnknownKinds(const ReportSet& answer) {
  std::vector<std::string> unknown;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (table.kind_column.empty()) continue;
      const std::string where = report.analysis + "." + table.key + "." + table.kind_column;
      const auto column = std::ranges::find(table.columns, table.kind_column, &Column::key);
      if (column == table.columns.end()) {
        unknown.push_back(where + ": no such column");
        continue;
      }
      const auto at = static_cast<size_t>(column - table.columns.begin());
      for (const auto& row : table.rows) {
        if (!IsKind(row.at(at))) unknown.push_back(where);
      }
    }
  }
  return unknown;
}

}  // namespace stepscope::testing
