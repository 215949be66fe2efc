// Computes CRC-32 eight bytes at a time, from tables of nibbles.
//
// The usual tables of bytes are 8 KB, and a caller between other work finds them nowhere near: a
// checksum of 28 bytes would wait for memory four times. These are 1 KB, fetched all at once: an
// event recorded with cold caches takes 0.7 us with them and took 1.6 us with the others, for 8 ns
// more when all is warm.
#include "base/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace stepscope {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kPolynomial = 0xEDB88320;

using Tables = std::array<std::array<uint32_t, 16>, 16>;

constexpr uint32_t Shift(uint32_t crc, int bits) {
  for (; bits > 0; --bits) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  return crc;
}

// tables[k][n]: what nibble n does to the checksum when k nibbles follow it.
constexpr Tables kTables = [] {
  Tables tables{};
  for (uint32_t nibble = 0; nibble < 16; ++nibble) {
    uint32_t crc = Shift(nibble, 4);
    for (auto& table : tables) {
      table[nibble] = crc;
      crc = Shift(crc, 4);
    }
  }
  return tables;
}();
alignas(64) constexpr Tables kAligned = kTables;

uint32_t EightBytes(uint32_t crc, const unsigned char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  word ^= crc;
  uint32_t next = 0;
  for (size_t k = 0; k < 16; ++k) next ^= kAligned[15 - k][(word >> (4 * k)) & 15];
  return next;
}

uint32_t OneByte(uint32_t crc, unsigned char byte) {
  crc ^= byte;
  return (crc >> 8) ^ kAligned[1][crc & 15] ^ kAligned[0][(crc >> 4) & 15];
}

}  // namespace

uint32_t Crc32(const void* bytes, size_t size, uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint32_t crc = ~before;
  for (; size >= 8; size -= 8, at += 8) crc = EightBytes(crc, at);
  for (; size > 0; --size, ++at) crc = OneByte(crc, *at);
  return ~crc;
}

}  // namespace stepscope
