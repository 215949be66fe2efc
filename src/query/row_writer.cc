// Reads values, and hands rows to a writer until there are enough.
#include "query/row_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/exact.h"

namespace stepscope {
namespace query {
namespace {

constexpr size_t kFirstPart = 2048;  // soon on a screen
constexpr size_t kPart = 65536;

std::unique_ptr<RowWriter> WriterOf(const QueryRows& rows, RowFormat format,
                                    const RowStyle& style) {
  switch (format) {
    case RowFormat::kCsv:
      return MakeCsvWriter(rows.columns());
    case RowFormat::kJson:
      return MakeJsonWriter(rows.columns());
    case RowFormat::kArrow:
      return MakeArrowWriter(rows.columns());
    case RowFormat::kText:
      break;
  }
  return MakeTextWriter(rows.columns(), style);
}

}  // namespace

ValueOf::ValueOf(const QueryColumn& column, const ColumnData& data, int64_t row) {
  if (data.IsNull(row)) return;
  if (data.type == ColumnType::kText) {
    text = data.TextAt(row);
    kind = Kind::kText;
  } else if (data.type == ColumnType::kDouble) {
    real = data.values.As<double>()[row];
    kind = Kind::kReal;
  } else {
    whole = data.WholeAt(row);
    kind = column.boolean ? Kind::kBoolean : Kind::kWhole;
  }
}

void AppendReal(std::string& out, double value) {
  if (std::isfinite(value)) return AppendExact(out, value);
  out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

Columns FirstRows(const Columns& part, int64_t rows) {
  Columns first = part;
  first.rows = std::min(rows, part.rows);
  for (ColumnData& column : first.columns) {
    column.rows = first.rows;
    column.nulls = 0;
    for (int64_t row = 0; row < first.rows && column.valid.bytes > 0; ++row) {
      const bool valid = (column.valid.As<uint8_t>()[row / 8] >> (row % 8) & 1) != 0;
      column.nulls += valid ? 0 : 1;
    }
  }
  return first;
}

}  // namespace query

Result<WrittenRows> WriteRows(QueryRows& rows, RowFormat format, int64_t limit,
                              const RowStyle& style,
                              const std::function<Result<void>(std::string_view)>& write) {
  const auto writer = query::WriterOf(rows, format, style);
  WrittenRows written;
  std::string out;
  writer->Begin(out);
  for (size_t about = query::kFirstPart;; about = query::kPart) {
    auto part = rows.Next(about);
    if (!part) return std::unexpected(part.error());
    const int64_t left = limit > 0 ? limit - written.rows : part->rows;
    written.cut = part->rows > left;
    if (written.cut) part = query::FirstRows(*part, left);
    const bool end = part->rows == 0 || written.cut;
    if (part->rows > 0) writer->Add(*part, out);
    written.rows += part->rows;
    if (end) writer->End(written, out);
    if (const auto done = write(out); !done) return std::unexpected(done.error());
    out.clear();
    if (end) return written;
  }
}

}  // namespace stepscope
