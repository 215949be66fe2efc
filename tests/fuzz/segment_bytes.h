// Gives the headers, marks and slots of a segment their checksums, without which nothing is read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/crc32.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_mark.h"

namespace stepscope::fuzz {

// A checksum is in front of what it covers.
inline void PutChecksum(std::string& bytes, size_t at, size_t from, size_t size, uint32_t before) {
  const uint32_t sum = Crc32(&bytes[from], size, before);
  std::memcpy(&bytes[at], &sum, sizeof sum);
}

inline uint32_t NumberAt(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  std::memcpy(&number, &bytes[at], sizeof number);
  return number;
}

// REQUIRES: the bytes begin with two copies of a header.
inline void RepairSegment(std::string& bytes) {
  using namespace goodput;
  for (const size_t copy : {size_t{0}, kHeaderBytes}) {
    const size_t length = std::min<size_t>(NumberAt(bytes, copy + 16), kMarkAt - 16);
    PutChecksum(bytes, copy + 12, copy + 16, length, 0);
    const uint32_t salt = NumberAt(bytes, copy + 20);
    PutChecksum(bytes, copy + kMarkAt, copy + kMarkAt + 4, kMarkBytes - 4, salt);
  }
  const uint32_t salt = NumberAt(bytes, 20);
  uint32_t index = 0;
  for (size_t at = kSlotsBegin; at + kSlotBytes <= bytes.size(); at += kSlotBytes, ++index) {
    const std::string_view slot = std::string_view(bytes).substr(at, kSlotBytes);
    const bool empty = std::ranges::all_of(slot, [](char c) { return c == 0; });
    if (!empty) PutChecksum(bytes, at, at + 4, kSlotBytes - 4, salt + index);
  }
}

}  // namespace stepscope::fuzz
