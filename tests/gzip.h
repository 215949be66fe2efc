// Gzip for tests: traces are mostly compressed, and so is most damage.
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

}  // namespace stepscope::testing
