// Reads Thrift's compact protocol, in which Parquet keeps its metadata, field by field.
//
// The bytes are a stranger's: nothing is allocated by a number they claim, a list cannot have more
// elements than bytes are left, and structs nest to a limit. After the first mistake ok() is false
// and every further read ends at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/varint.h"

namespace stepscope {

// The types of the protocol that Parquet's metadata uses by name; the others are skipped.
enum class ThriftType : uint8_t {
  kTrue = 1,  // a boolean field is its type
  kFalse = 2,
  kByte = 3,
  kInt16 = 4,
  kInt32 = 5,
  kInt64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  // What follows the values that were read.
  std::string_view rest() const { return rest_; }

  // Reads a struct: visit(id, type) is called for each field. It takes the value with one of the
  // functions below and returns what that returns, or returns false to have the value skipped.
  template <class Visit>
  bool Struct(const Visit& visit) {
    if (++depth_ > kDeepest) Fail();
    for (int64_t id = 0; ok_;) {
      const uint8_t head = Byte();
      if (head == 0) break;
      id = head >> 4 != 0 ? id + (head >> 4) : Signed();
      const auto type = static_cast<ThriftType>(head & 15);
      if (ok_ && !visit(id, type) && ok_) Skip(type);
    }
    --depth_;
    return true;
  }

  // As a field of this type: false, and nothing is taken, where it is of another.
  template <class Visit>
  bool TakeStruct(ThriftType type, const Visit& visit) {
    return type == ThriftType::kStruct && Struct(visit);
  }
  // Calls each(element type), which takes an element or returns false, for all elements.
  template <class Each>
  bool TakeList(ThriftType type, const Each& each) {
    if (type != ThriftType::kList) return false;
    const auto [size, element] = ListHead();
    for (uint64_t i = 0; i < size && ok_; ++i) {
      if (!each(element) && ok_) SkipElement(element);
    }
    return true;
  }
  bool TakeInt(ThriftType type, int64_t& value);
  bool TakeBool(ThriftType type, bool& value);
  bool TakeText(ThriftType type, std::string_view& value);

 private:
  static constexpr int kDeepest = 32;

  struct Head {
    uint64_t size = 0;
    ThriftType element = ThriftType::kByte;
  };

  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  uint8_t Byte();
  uint64_t Unsigned();
  int64_t Signed();
  void Drop(uint64_t bytes);
  Head ListHead();
  void SkipMap();
  void SkipElement(ThriftType type);
  void Skip(ThriftType type);

  std::string_view rest_;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace stepscope
