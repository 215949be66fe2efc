// Writes rows as aligned text, a block of rows at a time: an answer of any length is on the screen
// at once.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/exact.h"
#include "base/printable.h"
#include "query/row_writer.h"
#include "report/text_table.h"

namespace stepscope::query {
namespace {

constexpr int64_t kBlock = 1000;  // rows that are aligned together
constexpr const char* kNoValue = "-";

class TextWriter : public RowWriter {
 public:
  TextWriter(std::vector<QueryColumn> columns, const RowStyle& style)
      : columns_(std::move(columns)), style_(style) {
    for (const QueryColumn& column : columns_) {
      const bool text = column.type == ColumnType::kText || column.boolean;
      table_.columns.push_back({.title = Printable(column.name), .is_text = text});
    }
  }

  void Begin(std::string&) override {}

  void Add(const Columns& part, std::string& out) override {
    for (int64_t row = 0; row < part.rows; ++row) {
      std::vector<std::string>& cells = table_.rows.emplace_back();
      for (size_t c = 0; c < columns_.size(); ++c)
        cells.push_back(Cell(ValueOf(columns_[c], part.columns[c], row)));
      if (static_cast<int64_t>(table_.rows.size()) == kBlock) WriteBlock(out);
    }
  }

  void End(const WrittenRows& written, std::string& out) override {
    if (!titled_ || !table_.rows.empty()) WriteBlock(out);
    const Phrase rows =
        written.rows == 1 ? Say("{n} row", written.rows) : Say("{n} rows", written.rows);
    const Phrase said = written.cut ? Say("{rows}; more were left out by the limit", rows) : rows;
    out += In(style_.language, said) + "\n";
  }

 private:
  static std::string Cell(const ValueOf& value) {
    std::string cell;
    switch (value.kind) {
      case ValueOf::Kind::kNone:
        return kNoValue;
      case ValueOf::Kind::kWhole:
        AppendExact(cell, value.whole);
        return cell;
      case ValueOf::Kind::kReal:
        AppendReal(cell, value.real);
        return cell;
      case ValueOf::Kind::kBoolean:
        return value.whole != 0 ? "true" : "false";
      case ValueOf::Kind::kText:
        break;
    }
    return Printable(value.text);
  }

  void WriteBlock(std::string& out) {
    const size_t width = style_.width > 0 ? static_cast<size_t>(style_.width) : size_t{INT_MAX};
    const std::vector<std::string> lines = AlignTable(table_, width);
    for (size_t l = titled_ ? 1 : 0; l < lines.size(); ++l) {
      out += lines[l];
      out += '\n';
    }
    titled_ = true;
    table_.rows.clear();
  }

  std::vector<QueryColumn> columns_;
  RowStyle style_;
  PageTable table_;
  bool titled_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> MakeTextWriter(std::vector<QueryColumn> columns, const RowStyle& style) {
  return std::make_unique<TextWriter>(std::move(columns), style);
}

}  // namespace stepscope::query
