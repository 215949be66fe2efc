// Reads protocol buffers' wire format, a message at a time, without a schema.
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The number that the first bytes of `text` are as a varint, of which all but the last have their
// highest bit set: 7 bits of each, put together pair by pair. REQUIRES: 0 < bytes <= 8.
inline uint64_t JoinVarint(uint64_t text, unsigned bytes) {
  uint64_t x = text & 0x7f7f7f7f7f7f7f7f & (~uint64_t{0} >> (64 - 8 * bytes));
  x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
  x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
  return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

// Takes a varint off the front of [at, end); false if it is cut short or longer than 64 bits.
inline bool TakeVarint(const char*& at, const char* end, uint64_t& value) {
  if (at == end) return false;
  if (const auto byte = static_cast<unsigned char>(*at); byte < 0x80) {  // as most are
    value = byte;
    ++at;
    return true;
  }
  uint64_t text = 0;
  if (static_cast<size_t>(end - at) >= sizeof text) {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&text, at, sizeof text);
    if (const uint64_t last = ~text & 0x8080808080808080; last != 0) {
      const auto count = static_cast<unsigned>(std::countr_zero(last)) / 8 + 1;
      value = JoinVarint(text, count);
      at += count;
      return true;
    }
  }
  value = 0;
  const char* from = at;
  for (int bits = 0; from != end && bits < 70; bits += 7) {
    const auto byte = static_cast<unsigned char>(*from++);
    value |= uint64_t{byte & 0x7fU} << bits;
    if (byte >= 0x80) continue;
    at = from;
    return true;
  }
  return false;
}
inline bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  const char* at = bytes.data();
  const bool taken = TakeVarint(at, bytes.data() + bytes.size(), value);
  bytes.remove_prefix(static_cast<size_t>(at - bytes.data()));
  return taken;
}

// The fields of one message, in the order they stand in it. Fields of unknown numbers are for the
// caller to pass over.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Goes on to the next field; false at the end, or where the bytes are no message: see ok().
  bool Next() {
    if (at_ == end_ || !ok_) return false;
    uint64_t tag = 0;
    ok_ = TakeVarint(at_, end_, tag) && tag >> 3 != 0 && tag >> 3 <= UINT32_MAX &&
          TakeValue(static_cast<WireType>(tag & 7));
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
  std::string_view Bytes() const {
    return type_ == WireType::kBytes ? std::string_view(at_ - number_, number_)
                                     : std::string_view();
  }

 private:
  bool TakeValue(WireType type) {
    type_ = type;
    switch (type) {
      case WireType::kVarint:
        return TakeVarint(at_, end_, number_);
      case WireType::kFixed64:
        return TakeFixed(sizeof(uint64_t));
      case WireType::kFixed32:
        return TakeFixed(sizeof(uint32_t));
      case WireType::kBytes:
        if (!TakeVarint(at_, end_, number_) || number_ > static_cast<size_t>(end_ - at_))
          return false;
        at_ += number_;
        return true;
    }
    return false;  // groups, which proto3 does not have
  }
  bool TakeFixed(size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) return false;
    number_ = 0;
    std::memcpy(&number_, at_, size);
    at_ += size;
    return true;
  }

  const char* at_;  // behind the field
  const char* end_;
  uint64_t number_ = 0;  // of kBytes: how many
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  bool ok_ = true;
};

}  // namespace stepscope
