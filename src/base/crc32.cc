// CRC-32 eight bytes at a time, from eight tables.
#include "base/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace stepscope {
namespace {

static_assert(std::endian::native == std::endian::little);

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b]: what byte b does to the checksum when k bytes follow it.
constexpr Tables kTables = [] {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    tables[0][byte] = crc;
  }
  for (size_t byte = 0; byte < 256; ++byte) {
    for (size_t k = 1; k < 8; ++k) {
      const uint32_t last = tables[k - 1][byte];
      tables[k][byte] = (last >> 8) ^ tables[0][last & 0xFF];
    }
  }
  return tables;
}();

uint32_t EightBytes(uint32_t crc, const unsigned char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  word ^= crc;
  uint32_t next = 0;
  for (size_t k = 0; k < 8; ++k) next ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  return next;
}

}  // namespace

uint32_t Crc32(const void* bytes, size_t size, uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint32_t crc = ~before;
  for (; size >= 8; size -= 8, at += 8) crc = EightBytes(crc, at);
  for (; size > 0; --size, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xFF];
  return ~crc;
}

}  // namespace stepscope
