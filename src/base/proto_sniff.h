// Tells messages of different formats apart by the first bytes of their files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/proto.h"

namespace stepscope {

// Of a file whose field 1 repeats messages: whether one of them, as far as `beginning` shows, has a
// field of a larger number than `most`. False where it is no such file.
inline bool HasFieldBeyond(std::string_view beginning, uint32_t most) {
  const auto skip = [](std::string_view& bytes, uint64_t size) {
    bytes.remove_prefix(std::min<uint64_t>(size, bytes.size()));
  };
  while (!beginning.empty() && static_cast<unsigned char>(beginning.front()) == BytesField(1)) {
    beginning.remove_prefix(1);
    uint64_t length = 0;
    if (!TakeVarint(beginning, length)) return false;
    std::string_view message = beginning.substr(0, length);
    while (!message.empty()) {
      uint64_t tag = 0, size = 0;
      if (!TakeVarint(message, tag) || tag >> 3 == 0) return false;
      const auto type = static_cast<WireType>(tag & 7);
      const bool fixed = type == WireType::fixed64 || type == WireType::fixed32;
      const bool known = fixed || type == WireType::varint || type == WireType::length_delimited;
      if (!known) return false;
      if (tag >> 3 > most) return true;
      if (fixed)
        size = type == WireType::fixed64 ? sizeof(uint64_t) : sizeof(uint32_t);
      else if (!TakeVarint(message, size))
        return false;
      if (type != WireType::varint) skip(message, size);
    }
    skip(beginning, length);
  }
  return false;
}

}  // namespace stepscope
