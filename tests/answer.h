// Reads an answer by the names of its analyses, tables and columns, as tests do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::testing {

// One row of a table. Asking for a column that is not there, or for a value of another type,
// throws.
class Row {
 public:
  Row(const Table& table, const std::vector<Cell>& cells) : table_(&table), cells_(&cells) {}
  const Cell& At(std::string_view column) const;
  bool Has(std::string_view column) const;  // whether there is a value
  int64_t Int(std::string_view column) const { return std::get<int64_t>(At(column)); }
  double Real(std::string_view column) const { return std::get<double>(At(column)); }
  const std::string& Text(std::string_view column) const {
    return std::get<std::string>(At(column));
  }

 private:
  const Table* table_;
  const std::vector<Cell>* cells_;
};

// Throws when `answer` holds no report of that analysis.
const Report& ReportOf(const ReportSet& answer, std::string_view analysis);

// The rows of a table; none when the report does not hold it, as when it is unavailable.
std::vector<Row> RowsOf(const ReportSet& answer, std::string_view analysis, std::string_view table);

// The value of a metric; throws when the report holds no such metric.
const Cell& MetricOf(const ReportSet& answer, std::string_view analysis, std::string_view key);

// The sum of a column over rows.
int64_t SumOf(const std::vector<Row>& rows, std::string_view column);

// What each finding says that names no table of its report, or one without rows.
std::vector<std::string> FindingsWithoutEvidence(const ReportSet& answer);

// The cells of kind columns that name no ColumnKind, and the tables without the column they name.
std::vector<std::string> UnknownKinds(const ReportSet& answer);

}  // namespace stepscope::testing
