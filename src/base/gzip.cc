// Compresses with ISA-L; inflates with the reader of input files.
#include "base/gzip.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <span>

#include "base/byte_source.h"

namespace stepscope {
namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;                     // the library counts in 32 bits
constexpr size_t kLeastRoom = 4096, kMostRoom = size_t{256} << 10;  // of output, at a time

// Of a member without a name or time, made by a fast compressor on Unix.
constexpr std::string_view kHeader{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\x03", 10};
// An empty last block: ends the deflate stream.
constexpr std::string_view kLastBlock{"\x03\x00", 2};

void PutLittleEndian(uint32_t value, std::string& out) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

}  // namespace

std::string_view GzipCompressor::Compress(std::string_view piece) {
  isal_deflate_init(&stream_);
  stream_.level = 1;
  stream_.level_buf = level_buffer_.data();
  stream_.level_buf_size = static_cast<uint32_t>(level_buffer_.size());
  stream_.gzip_flag = IGZIP_DEFLATE;
  const size_t least = std::clamp(piece.size() / 4, kLeastRoom, kMostRoom);
  size_t used = 0;
  while (!piece.empty()) {
    const std::string_view part = piece.substr(0, kMostAtOnce);
    piece.remove_prefix(part.size());
    // ISA-L reads its input only, but asks for a pointer to mutable bytes.
    stream_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uint32_t>(part.size());
    stream_.flush = FULL_FLUSH;
    do {
      if (out_.size() < used + least) out_.resize(used + 2 * least);
      const size_t room = std::min(out_.size() - used, kMostAtOnce);
      stream_.next_out = out_.data() + used;
      stream_.avail_out = static_cast<uint32_t>(room);
      isal_deflate(&stream_);
      used += room - stream_.avail_out;
    } while (stream_.avail_in > 0 || stream_.avail_out == 0);
  }
  return {reinterpret_cast<const char*>(out_.data()), used};
}

std::string_view GzipMember::Header() { return kHeader; }

std::string_view GzipMember::Add(std::string_view piece, GzipCompressor& compressor) {
  raw_bytes_ += piece.size();
  crc_ = crc32_gzip_refl(crc_, reinterpret_cast<const uint8_t*>(piece.data()), piece.size());
  return compressor.Compress(piece);
}

std::string GzipMember::Trailer() const {
  std::string trailer(kLastBlock);
  PutLittleEndian(crc_, trailer);
  PutLittleEndian(static_cast<uint32_t>(raw_bytes_), trailer);
  return trailer;
}

std::string Gzip(std::string_view bytes) {
  GzipCompressor compressor;
  GzipMember member;
  std::string out(GzipMember::Header());
  out += member.Add(bytes, compressor);
  out += member.Trailer();
  return out;
}

Result<std::string> Gunzip(std::string_view gzip) {
  ByteSource source = ByteSource::FromMemory(gzip);
  std::string out;
  size_t used = 0;
  do {
    out.resize(std::max<size_t>(2 * used, 64 << 10));
    used += source.Read(std::span(out).subspan(used));
  } while (used == out.size());
  out.resize(used);
  if (source.end() != InputEnd::kClean) {
    return std::unexpected(Error{"compressed bytes are damaged", "", ""});
  }
  return out;
}

Result<std::string> InflateZlib(std::string_view zlib, size_t limit) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  // The library reads, and never writes, what it is given.
  state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(zlib.data()));
  state.avail_in = static_cast<uint32_t>(std::min<size_t>(zlib.size(), UINT32_MAX));
  std::string out;
  size_t used = 0;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    if (used == limit) return std::unexpected(Error{"compressed bytes are too large", "", ""});
    if (used == out.size()) out.resize(std::min(limit, std::max<size_t>(2 * used, 64 << 10)));
    const size_t room = std::min<size_t>(out.size() - used, UINT32_MAX);
    state.next_out = reinterpret_cast<uint8_t*>(out.data() + used);
    state.avail_out = static_cast<uint32_t>(room);
    const int outcome = isal_inflate(&state);
    used += room - state.avail_out;
    const bool stuck = state.avail_in == 0 && state.avail_out > 0;
    if (outcome < 0 || (stuck && state.block_state != ISAL_BLOCK_FINISH))
      return std::unexpected(Error{"compressed bytes are damaged", "", ""});
  }
  out.resize(used);
  return out;
}

}  // namespace stepscope
