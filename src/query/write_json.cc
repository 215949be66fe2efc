// Writes rows as a JSON array of objects, one a line.
#include <cmath>
#include <utility>

#include "base/exact.h"
#include "base/json_writer.h"
#include "query/row_writer.h"

namespace stepscope::query {
namespace {

class RowsAsJson : public RowWriter {
 public:
  explicit RowsAsJson(std::vector<QueryColumn> columns) : columns_(std::move(columns)) {
    for (const QueryColumn& column : columns_) AppendJsonString(keys_.emplace_back(), column.name);
  }

  void Begin(std::string& out) override { out += '['; }

  void Add(const Columns& part, std::string& out) override {
    for (int64_t row = 0; row < part.rows; ++row) {
      out += any_ ? ",\n{" : "\n{";
      any_ = true;
      for (size_t c = 0; c < columns_.size(); ++c) {
        if (c > 0) out += ", ";
        out += keys_[c];
        out += ": ";
        AppendValue(ValueOf(columns_[c], part.columns[c], row), out);
      }
      out += '}';
    }
  }

  void End(const WrittenRows&, std::string& out) override { out += any_ ? "\n]\n" : "]\n"; }

 private:
  static void AppendValue(const ValueOf& value, std::string& out) {
    switch (value.kind) {
      case ValueOf::Kind::kWhole:
        return AppendExact(out, value.whole);
      case ValueOf::Kind::kReal:
        if (std::isfinite(value.real)) return AppendExact(out, value.real);
        break;
      case ValueOf::Kind::kBoolean:
        out += value.whole != 0 ? "true" : "false";
        return;
      case ValueOf::Kind::kText:
        return AppendJsonString(out, value.text);
      case ValueOf::Kind::kNone:
        break;
    }
    out += "null";
  }

  std::vector<QueryColumn> columns_;
  std::vector<std::string> keys_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> MakeJsonWriter(std::vector<QueryColumn> columns) {
  return std::make_unique<RowsAsJson>(std::move(columns));
}

}  // namespace stepscope::query
