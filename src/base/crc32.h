// Computes CRC-32 as zlib, gzip and Python's zlib.crc32 do (polynomial 0xEDB88320, reflected).
//
// For records of some tens of bytes, with no library to link. Not for gigabytes: other
// implementations are faster there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

// The checksum of `size` bytes that follow bytes whose checksum is `before`.
uint32_t Crc32(const void* bytes, size_t size, uint32_t before = 0);

}  // namespace stepscope
