// Writes rows as text, one format each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stepscope/query.h"

namespace stepscope::query {

class RowWriter {
 public:
  RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;
  virtual ~RowWriter() = default;
  // Each appends to `out`. Parts come one behind the other.
  virtual void Begin(std::string& out) = 0;
  virtual void Add(const Columns& part, std::string& out) = 0;
  virtual void End(const WrittenRows& written, std::string& out) = 0;
};

std::unique_ptr<RowWriter> MakeTextWriter(std::vector<QueryColumn> columns, const RowStyle& style);
std::unique_ptr<RowWriter> MakeCsvWriter(std::vector<QueryColumn> columns);
std::unique_ptr<RowWriter> MakeJsonWriter(std::vector<QueryColumn> columns);
std::unique_ptr<RowWriter> MakeArrowWriter(std::vector<QueryColumn> columns);

// One value of a row. `whole` and `real` where it is such a number.
struct ValueOf {
  ValueOf(const QueryColumn& column, const ColumnData& data, int64_t row);

  enum class Kind : uint8_t { kNone, kWhole, kReal, kBoolean, kText } kind = Kind::kNone;
  int64_t whole = 0;
  double real = 0;
  std::string_view text;
};

// "inf", "-inf" and "nan" where it is not finite.
void AppendReal(std::string& out, double value);

// The first rows of a part.
Columns FirstRows(const Columns& part, int64_t rows);

}  // namespace stepscope::query
