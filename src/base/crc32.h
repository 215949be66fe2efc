// CRC-32 as zlib, gzip and Python's zlib.crc32 compute it (polynomial 0xEDB88320, reflected).
//
// For records of some tens of bytes, with no library to link: whoever needs gigabytes a second
// takes another one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

// The checksum of `size` bytes that follow bytes whose checksum is `before`.
uint32_t Crc32(const void* bytes, size_t size, uint32_t before = 0);

}  // namespace stepscope
