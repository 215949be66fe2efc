// Compresses to gzip and back; fast rather than small: some hundred MB per second.
#pragma once

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

// Compresses pieces independently of each other, so that one compressor serves many members.
class GzipCompressor {
 public:
  GzipCompressor() : level_buffer_(ISAL_DEF_LVL1_DEFAULT) {}

  // The piece as deflate blocks that end on a whole byte, none of them the last of its stream.
  // Valid until the next call.
  std::string_view Compress(std::string_view piece);

 private:
  isal_zstream stream_ = {};
  std::vector<uint8_t> level_buffer_;
  std::vector<uint8_t> out_;
};

// Frames one gzip member: its header, the added pieces, its trailer.
class GzipMember {
 public:
  static std::string_view Header();
  // The compressed piece. Valid until the next call to `compressor`.
  std::string_view Add(std::string_view piece, GzipCompressor& compressor);
  std::string Trailer() const;

 private:
  uint32_t crc_ = 0;
  uint64_t raw_bytes_ = 0;
};

// One gzip member, all in memory.
std::string Gzip(std::string_view bytes);

// The other way. Fails when the bytes are not gzip, or damaged.
Result<std::string> Gunzip(std::string_view gzip);

// Inflates a zlib stream (RFC 1950), to at most `limit` bytes. Fails when the bytes are not one,
// are damaged, or inflate to more.
Result<std::string> InflateZlib(std::string_view zlib, size_t limit);

}  // namespace stepscope
