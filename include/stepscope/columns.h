// Holds columns of numbers and names as Apache Arrow lays them out in memory, so that programs in
// other languages read them where they are.
//
// Layout: https://arrow.apache.org/docs/format/Columnar.html (primitive, variable-size binary and
// dictionary-encoded). Buffers are shared and never changed: copy a column freely, on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

// Memory that nobody changes, owned by whoever still needs it.
struct Buffer {
  std::shared_ptr<const void> data;
  size_t bytes = 0;

  const void* get() const { return data.get(); }
  template <class T>
  const T* As() const {
    return static_cast<const T*>(data.get());
  }
};

// The elements of a vector, or another contiguous container, as a buffer. Nothing is copied.
template <class Container>
Buffer BufferOf(Container elements) {
  const auto owner = std::make_shared<const Container>(std::move(elements));
  const size_t bytes = owner->size() * sizeof(*owner->data());
  return {std::shared_ptr<const void>(owner, owner->data()), bytes};
}

// What the elements of a column are, by the letters of Arrow's format strings.
enum class ColumnType : char {
  kNull = 'n',  // no value in any row
  kInt8 = 'c',
  kInt16 = 's',
  kInt32 = 'i',
  kInt64 = 'l',
  kDouble = 'g',
  kText = 'U',  // UTF-8, with 64-bit offsets
};

// Returns f(zero) with a zero of the type that the values of such a column have; of text: of its
// offsets.
template <class F>
auto WithZeroOf(ColumnType type, const F& f) {
  switch (type) {
    case ColumnType::kInt8:
      return f(int8_t{});
    case ColumnType::kInt16:
      return f(int16_t{});
    case ColumnType::kInt32:
      return f(int32_t{});
    case ColumnType::kDouble:
      return f(double{});
    default:
      return f(int64_t{});
  }
}

struct ColumnData {
  std::string name;
  ColumnType type = ColumnType::kNull;
  int64_t rows = 0;
  int64_t nulls = 0;  // rows without a value
  Buffer valid;   // a bit for each row, the lowest first, 1: has a value; empty where nulls is 0
  Buffer values;  // of numbers: the numbers; of text: rows + 1 offsets
  Buffer text;    // of text: the bytes, valid UTF-8
  // Where set, `values` are row numbers of it, each of whose rows is another value.
  std::shared_ptr<const ColumnData> dictionary = {};

  bool IsNull(int64_t row) const {
    return type == ColumnType::kNull ||
           (nulls > 0 && (valid.As<uint8_t>()[row / 8] >> (row % 8) & 1) == 0);
  }
  // Of a column of whole numbers, or of rows of a dictionary.
  int64_t WholeAt(int64_t row) const {
    return WithZeroOf(
        type, [&](auto zero) { return static_cast<int64_t>(values.As<decltype(zero)>()[row]); });
  }
  // Of a column of text.
  std::string_view TextAt(int64_t row) const {
    const auto* offsets = values.As<int64_t>() + row;
    return {text.As<char>() + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
  }
};

// Columns of one length.
struct Columns {
  std::vector<ColumnData> columns;
  int64_t rows = 0;
};

}  // namespace stepscope
