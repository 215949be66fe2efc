// Builds columns from cells.
#include "report/table_columns.h"

#include <fmt/format.h>

#include <variant>

#include "report/column_builder.h"

namespace stepscope {
namespace {

using IntBuilder = NumberBuilder<int64_t, ColumnType::kInt64>;
using RealBuilder = NumberBuilder<double, ColumnType::kDouble>;

ColumnType TypeWithoutValues(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return ColumnType::kText;
    case Unit::kRatio:
    case Unit::kRatioDifference:
    case Unit::kRelativeChange:
    case Unit::kBytesPerSecond:
    case Unit::kFlopPerSecond:
      return ColumnType::kDouble;
    default:
      return ColumnType::kInt64;
  }
}

ColumnType TypeOf(const Table& table, size_t c) {
  bool any = false, real = false;
  for (const auto& row : table.rows) {
    if (std::holds_alternative<std::string>(row[c])) return ColumnType::kText;
    real = real || std::holds_alternative<double>(row[c]);
    any = any || !std::holds_alternative<std::monostate>(row[c]);
  }
  if (!any) return TypeWithoutValues(table.columns[c].unit);
  return real ? ColumnType::kDouble : ColumnType::kInt64;
}

void AppendTo(IntBuilder& builder, const Cell& cell) { builder.Append(std::get<int64_t>(cell)); }
void AppendTo(RealBuilder& builder, const Cell& cell) {
  const int64_t* whole = std::get_if<int64_t>(&cell);
  builder.Append(whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell));
}
void AppendTo(TextBuilder& builder, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return builder.Append(*text);
  const int64_t* whole = std::get_if<int64_t>(&cell);
  builder.Append(whole != nullptr ? fmt::to_string(*whole)
                                  : fmt::to_string(std::get<double>(cell)));
}

template <class Builder>
ColumnData Build(const Table& table, size_t c) {
  Builder builder;
  for (const auto& row : table.rows) {
    if (std::holds_alternative<std::monostate>(row[c])) {
      builder.AppendNull();
    } else {
      AppendTo(builder, row[c]);
    }
  }
  return builder.Finish(table.columns[c].key);
}

}  // namespace

Columns ColumnsOf(const Table& table) {
  Columns all{.columns = {}, .rows = static_cast<int64_t>(table.rows.size())};
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnType type = TypeOf(table, c);
    all.columns.push_back(type == ColumnType::kText    ? Build<TextBuilder>(table, c)
                          : type == ColumnType::kInt64 ? Build<IntBuilder>(table, c)
                                                       : Build<RealBuilder>(table, c));
  }
  return all;
}

}  // namespace stepscope
