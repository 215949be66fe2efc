// Writes rows as CSV (RFC 4180), with names of columns in the first line; no value is an empty
// field.
#include <utility>

#include "base/csv_field.h"
#include "base/exact.h"
#include "base/printable.h"
#include "query/row_writer.h"

namespace stepscope::query {
namespace {

// As in reports: a cell that begins like a formula is none, whatever a trace says.
bool LooksLikeFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@").contains(text.front());
}

void AppendText(std::string& out, std::string_view text) {
  std::string field = LooksLikeFormula(text) ? "'" : "";
  AppendPrintable(field, text);
  AppendCsvField(out, field);
}

class CsvWriter : public RowWriter {
 public:
  explicit CsvWriter(std::vector<QueryColumn> columns) : columns_(std::move(columns)) {}

  void Begin(std::string& out) override {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) out += ',';
      AppendText(out, columns_[c].name);
    }
    out += "\r\n";
  }

  void Add(const Columns& part, std::string& out) override {
    for (int64_t row = 0; row < part.rows; ++row) {
      for (size_t c = 0; c < columns_.size(); ++c) {
        if (c > 0) out += ',';
        AppendValue(ValueOf(columns_[c], part.columns[c], row), out);
      }
      out += "\r\n";
    }
  }

  void End(const WrittenRows&, std::string&) override {}

 private:
  static void AppendValue(const ValueOf& value, std::string& out) {
    switch (value.kind) {
      case ValueOf::Kind::kNone:
        return;
      case ValueOf::Kind::kWhole:
        return AppendExact(out, value.whole);
      case ValueOf::Kind::kReal:
        return AppendReal(out, value.real);
      case ValueOf::Kind::kBoolean:
        out += value.whole != 0 ? "true" : "false";
        return;
      case ValueOf::Kind::kText:
        return AppendText(out, value.text);
    }
  }

  std::vector<QueryColumn> columns_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeCsvWriter(std::vector<QueryColumn> columns) {
  return std::make_unique<CsvWriter>(std::move(columns));
}

}  // namespace stepscope::query
