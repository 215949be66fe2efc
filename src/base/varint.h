// Encodes integers as varints: 7 bits per byte, lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <protozero/varint.hpp>
#include <string>
#include <string_view>

namespace stepscope {

inline constexpr size_t kLongestVarint = protozero::max_varint_length;

// Takes a varint off the front of `bytes`; false if it is cut short or longer than 64 bits.
inline bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  try {
    const char* at = bytes.data();
    value = protozero::decode_varint(&at, bytes.data() + bytes.size());
    bytes.remove_prefix(static_cast<size_t>(at - bytes.data()));
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

// Writes `value` to `out`, which has room for kLongestVarint bytes; returns its end.
inline uint8_t* PutVarint(uint64_t value, uint8_t* out) {
  return out + protozero::write_varint(out, value);
}

inline void AppendVarint(std::string& out, uint64_t value) {
  protozero::write_varint(std::back_inserter(out), value);
}

}  // namespace stepscope
