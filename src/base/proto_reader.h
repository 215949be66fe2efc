// Reads protocol buffers' wire format, a message at a time, without a schema.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace stepscope {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Takes a varint off the front of `bytes`; false if it is cut short or longer than 64 bits.
inline bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  if (!bytes.empty() && static_cast<unsigned char>(bytes[0]) < 0x80) {  // as most are
    value = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    return true;
  }
  value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= uint64_t{byte & 0x7fU} << (7 * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// The fields of one message, in the order they stand in it. Fields of unknown numbers are for the
// caller to pass over.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  // Goes on to the next field; false at the end, or where the bytes are no message: see ok().
  bool Next() {
    if (rest_.empty() || !ok_) return false;
    uint64_t tag = 0;
    ok_ = TakeVarint(rest_, tag) && tag >> 3 != 0 && tag >> 3 <= UINT32_MAX && TakeValue(tag & 7);
    field_ = static_cast<uint32_t>(tag >> 3);
    return ok_;
  }
  bool ok() const { return ok_; }

  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  // The value as each type holds it; zero or empty for a field of another type.
  uint64_t Unsigned() const { return type_ == WireType::kVarint ? number_ : 0; }
  int64_t Signed() const { return static_cast<int64_t>(Unsigned()); }
  double Double() const { return type_ == WireType::kFixed64 ? std::bit_cast<double>(number_) : 0; }
  std::string_view Bytes() const { return bytes_; }

 private:
  bool TakeValue(uint64_t type) {
    bytes_ = {};
    type_ = static_cast<WireType>(type);
    switch (type_) {
      case WireType::kVarint:
        return TakeVarint(rest_, number_);
      case WireType::kFixed64:
        return TakeFixed(sizeof(uint64_t));
      case WireType::kFixed32:
        return TakeFixed(sizeof(uint32_t));
      case WireType::kBytes:
        if (!TakeVarint(rest_, number_) || number_ > rest_.size()) return false;
        bytes_ = rest_.substr(0, number_);
        rest_.remove_prefix(number_);
        return true;
    }
    return false;  // groups, which proto3 does not have
  }
  bool TakeFixed(size_t size) {
    if (rest_.size() < size) return false;
    number_ = 0;
    for (size_t i = 0; i < size; ++i)
      number_ |= uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_, bytes_;
  uint64_t number_ = 0;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  bool ok_ = true;
};

}  // namespace stepscope
