// Writes Thrift's compact protocol, in which Parquet keeps its metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/varint.h"

namespace stepscope {

// Fields of one struct, in ascending order of their ids; End() ends it.
class ThriftWriter {
 public:
  explicit ThriftWriter(std::string& out) : out_(out) {}

  void Int32(int id, int64_t value) { Number(id, kInt32, value); }
  void Int64(int id, int64_t value) { Number(id, kInt64, value); }
  void Text(int id, std::string_view value) {
    Head(id, kBinary);
    AppendText(value);
  }
  // Then as many structs, or elements.
  void Structs(int id, size_t count) { List(id, kStruct, count); }
  void Texts(int id, size_t count) { List(id, kBinary, count); }
  void Ints(int id, size_t count) { List(id, kInt32, count); }
  // Then the fields of the struct, by a writer of its own.
  void Struct(int id) { Head(id, kStruct); }
  void AppendText(std::string_view value) {
    AppendVarint(out_, value.size());
    out_ += value;
  }
  void AppendInt(int64_t value) { AppendVarint(out_, ZigZag(value)); }
  void End() { out_ += '\0'; }

 private:
  static constexpr unsigned kInt32 = 5, kInt64 = 6, kBinary = 8, kListType = 9, kStruct = 12;

  static uint64_t ZigZag(int64_t value) {
    return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  }
  // REQUIRES: ids grow by at most 15.
  void Head(int id, unsigned type) {
    out_ += static_cast<char>(static_cast<unsigned>(id - last_) << 4 | type);
    last_ = id;
  }
  void Number(int id, unsigned type, int64_t value) {
    Head(id, type);
    AppendInt(value);
  }
  void List(int id, unsigned element, size_t count) {
    Head(id, kListType);
    if (count < 15) {
      out_ += static_cast<char>(count << 4 | element);
    } else {
      out_ += static_cast<char>(0xf0u | element);
      AppendVarint(out_, count);
    }
  }

  std::string& out_;
  int last_ = 0;
};

}  // namespace stepscope
