// Builds the buffers of a column row by row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/valid_utf8.h"
#include "stepscope/columns.h"

namespace stepscope {

// Which rows have a value.
class ValidBits {
 public:
  void Append(bool valid) {
    if (rows_ % 8 == 0) bits_.push_back(0);
    if (valid) bits_.back() = static_cast<uint8_t>(bits_.back() | 1 << (rows_ % 8));
    nulls_ += valid ? 0 : 1;
    ++rows_;
  }
  // Moves them into the column.
  void Finish(ColumnData& column) {
    column.rows = rows_;
    column.nulls = nulls_;
    if (nulls_ > 0) column.valid = BufferOf(std::move(bits_));
  }

 private:
  std::vector<uint8_t> bits_;
  int64_t rows_ = 0, nulls_ = 0;
};

// Texts one behind the other.
class TextBuilder {
 public:
  void Append(std::string_view text) {
    AppendValidUtf8(bytes_, text);
    offsets_.push_back(static_cast<int64_t>(bytes_.size()));
    valid_.Append(true);
  }
  void AppendNull() {
    offsets_.push_back(offsets_.back());
    valid_.Append(false);
  }
  ColumnData Finish(std::string name) {
    ColumnData column{.name = std::move(name), .type = ColumnType::kText};
    valid_.Finish(column);
    column.values = BufferOf(std::move(offsets_));
    column.text = BufferOf(std::move(bytes_));
    return column;
  }

 private:
  std::string bytes_;
  std::vector<int64_t> offsets_{0};
  ValidBits valid_;
};

// Numbers; where there is none, a zero stands in its place.
template <class T, ColumnType type>
class NumberBuilder {
 public:
  void Append(T value) {
    values_.push_back(value);
    valid_.Append(true);
  }
  void AppendNull() {
    values_.push_back(0);
    valid_.Append(false);
  }
  ColumnData Finish(std::string name) {
    ColumnData column{.name = std::move(name), .type = type};
    valid_.Finish(column);
    column.values = BufferOf(std::move(values_));
    return column;
  }

 private:
  std::vector<T> values_;
  ValidBits valid_;
};

}  // namespace stepscope
