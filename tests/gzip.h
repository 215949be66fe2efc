// Compresses for tests: traces are mostly gzip, and so is most damage.
#pragma once

#include <isa-l/igzip_lib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace stepscope::testing {

// `bytes` as one gzip member.
inline std::string Gzip(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 8 + 1024, '\0');
  std::string in(bytes);  // the library takes what it only reads by a pointer that may write
  isal_zstream stream;
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(in.data());
  stream.avail_in = static_cast<uint32_t>(in.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uint32_t>(out.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) throw std::runtime_error("cannot compress");
  out.resize(stream.total_out);
  return out;
}

// What a raw deflate stream holds; it must be whole, and nothing behind it.
inline std::string InflateRaw(std::string_view deflated) {
  std::string out, in(deflated);
  inflate_state stream;
  isal_inflate_init(&stream);
  stream.next_in = reinterpret_cast<uint8_t*>(in.data());
  stream.avail_in = static_cast<uint32_t>(in.size());
  std::string piece(1 << 16, '\0');
  while (stream.block_state != ISAL_BLOCK_FINISH) {
    stream.next_out = reinterpret_cast<uint8_t*>(piece.data());
    stream.avail_out = static_cast<uint32_t>(piece.size());
    const bool went_well = isal_inflate(&stream) == ISAL_DECOMP_OK;
    const size_t made = piece.size() - stream.avail_out;
    if (!went_well || (made == 0 && stream.block_state != ISAL_BLOCK_FINISH))
      throw std::runtime_error("cannot inflate");
    out.append(piece, 0, made);
  }
  if (stream.avail_in > 0) throw std::runtime_error("bytes behind the stream");
  return out;
}

}  // namespace stepscope::testing
