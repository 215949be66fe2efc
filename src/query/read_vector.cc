// Reads vectors of DuckDB value by value.
#include "query/read_vector.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/saturate.h"
#include "report/column_builder.h"

namespace stepscope::query {
namespace {

bool IsValid(const uint64_t* valid, abi::Index row) {
  return valid == nullptr || (valid[row / 64] >> (row % 64) & 1) != 0;
}

// Of which 64 bits with a sign hold the value; none where they do not.
template <class T>
std::optional<int64_t> Whole(T value) {
  if (!std::in_range<int64_t>(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}
std::optional<int64_t> Whole(abi::HugeInt value) {
  const auto low = static_cast<int64_t>(value.lower);
  if (value.upper != (low < 0 ? -1 : 0)) return std::nullopt;
  return low;
}

template <class From, class To, ColumnType type>
class NumberReader : public ColumnReader {
 public:
  explicit NumberReader(std::string name) : name_(std::move(name)) {}

  Result<void> Append(const DuckDb& db, abi::Vector vector, abi::Index rows) override {
    const auto* values = static_cast<const From*>(db.vector_get_data(vector));
    const uint64_t* valid = db.vector_get_validity(vector);
    for (abi::Index row = 0; row < rows; ++row) {
      if (!IsValid(valid, row)) {
        builder_.AppendNull();
        continue;
      }
      if constexpr (type == ColumnType::kDouble) {
        builder_.Append(static_cast<To>(values[row]));
      } else {
        const auto whole = Whole(values[row]);
        if (!whole) return TooLarge();
        builder_.Append(static_cast<To>(*whole));
      }
    }
    return {};
  }

  ColumnData Finish() override { return std::exchange(builder_, {}).Finish(name_); }

 private:
  Result<void> TooLarge() const {
    return std::unexpected(
        Error{fmt::format("a number in column '{}' has more than 64 bits", name_), "",
              "CAST(... AS DOUBLE), or AS VARCHAR for all its digits"});
  }

  std::string name_;
  NumberBuilder<To, type> builder_;
};

class TextReader : public ColumnReader {
 public:
  explicit TextReader(std::string name) : name_(std::move(name)) {}

  Result<void> Append(const DuckDb& db, abi::Vector vector, abi::Index rows) override {
    const auto* values = static_cast<const abi::String*>(db.vector_get_data(vector));
    const uint64_t* valid = db.vector_get_validity(vector);
    for (abi::Index row = 0; row < rows; ++row) {
      if (IsValid(valid, row)) {
        builder_.Append({values[row].data(), values[row].length});
      } else {
        builder_.AppendNull();
      }
    }
    return {};
  }

  ColumnData Finish() override { return std::exchange(builder_, {}).Finish(name_); }

 private:
  std::string name_;
  TextBuilder builder_;
};

// A column of NULL alone.
class NothingReader : public ColumnReader {
 public:
  explicit NothingReader(std::string name) : name_(std::move(name)) {}
  Result<void> Append(const DuckDb&, abi::Vector, abi::Index rows) override {
    for (abi::Index row = 0; row < rows; ++row) builder_.AppendNull();
    return {};
  }
  ColumnData Finish() override { return std::exchange(builder_, {}).Finish(name_); }

 private:
  std::string name_;
  TextBuilder builder_;
};

QueryColumn ColumnOfType(std::string name, abi::Type type) {
  switch (type) {
    case abi::kBoolean:
      return {.name = std::move(name), .type = ColumnType::kInt8, .boolean = true};
    case abi::kTinyInt:
      return {.name = std::move(name), .type = ColumnType::kInt8};
    case abi::kUTinyInt:
    case abi::kSmallInt:
      return {.name = std::move(name), .type = ColumnType::kInt16};
    case abi::kUSmallInt:
    case abi::kInteger:
      return {.name = std::move(name), .type = ColumnType::kInt32};
    case abi::kUInteger:
    case abi::kBigInt:
    case abi::kUBigInt:
    case abi::kHugeInt:
      return {.name = std::move(name), .type = ColumnType::kInt64};
    case abi::kFloat:
    case abi::kDouble:
    case abi::kDecimal:
      return {.name = std::move(name), .type = ColumnType::kDouble};
    default:
      return {.name = std::move(name), .type = ColumnType::kText};
  }
}

std::string CastOf(abi::Type type) {
  if (type == abi::kDecimal) return "DOUBLE";
  if (type == abi::kUHugeInt) return "VARCHAR";
  const bool text = ColumnOfType("", type).type == ColumnType::kText;
  return text && type != abi::kVarchar && type != abi::kSqlNull ? "VARCHAR" : "";
}

}  // namespace

int64_t TextBytes(const DuckDb& db, abi::Vector vector, abi::Index rows) {
  const auto* values = static_cast<const abi::String*>(db.vector_get_data(vector));
  const uint64_t* valid = db.vector_get_validity(vector);
  int64_t bytes = 0;
  for (abi::Index row = 0; row < rows; ++row)
    bytes = AddSaturated(bytes, IsValid(valid, row) ? int64_t{values[row].length} : 0);
  return bytes;
}

std::vector<Readable> ReadableColumns(const std::vector<ResultColumn>& columns) {
  std::vector<Readable> readable;
  std::set<std::string> taken;
  for (const ResultColumn& column : columns) {
    std::string name = column.name;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", column.name, n);
    readable.push_back({ColumnOfType(std::move(name), column.type), CastOf(column.type)});
  }
  return readable;
}

std::unique_ptr<ColumnReader> MakeColumnReader(const QueryColumn& column, abi::Type type) {
  using enum ColumnType;
  const std::string& name = column.name;
  switch (type) {
    case abi::kBoolean:
      return std::make_unique<NumberReader<uint8_t, int8_t, kInt8>>(name);
    case abi::kTinyInt:
      return std::make_unique<NumberReader<int8_t, int8_t, kInt8>>(name);
    case abi::kUTinyInt:
      return std::make_unique<NumberReader<uint8_t, int16_t, kInt16>>(name);
    case abi::kSmallInt:
      return std::make_unique<NumberReader<int16_t, int16_t, kInt16>>(name);
    case abi::kUSmallInt:
      return std::make_unique<NumberReader<uint16_t, int32_t, kInt32>>(name);
    case abi::kInteger:
      return std::make_unique<NumberReader<int32_t, int32_t, kInt32>>(name);
    case abi::kUInteger:
      return std::make_unique<NumberReader<uint32_t, int64_t, kInt64>>(name);
    case abi::kBigInt:
      return std::make_unique<NumberReader<int64_t, int64_t, kInt64>>(name);
    case abi::kUBigInt:
      return std::make_unique<NumberReader<uint64_t, int64_t, kInt64>>(name);
    case abi::kHugeInt:
      return std::make_unique<NumberReader<abi::HugeInt, int64_t, kInt64>>(name);
    case abi::kFloat:
      return std::make_unique<NumberReader<float, double, kDouble>>(name);
    case abi::kDouble:
      return std::make_unique<NumberReader<double, double, kDouble>>(name);
    case abi::kSqlNull:
      return std::make_unique<NothingReader>(name);
    default:
      return std::make_unique<TextReader>(name);
  }
}

}  // namespace stepscope::query
