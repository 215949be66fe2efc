// ISA-L's compressor into a string that grows, and the readers' inflater the other way.
#include "base/gzip.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/byte_source.h"

namespace stepscope {
namespace {

// The library counts in 32 bits.
constexpr size_t kMostAtOnce = size_t{1} << 30;

}  // namespace

std::string Gzip(std::string_view bytes) {
  std::vector<uint8_t> level_buffer(ISAL_DEF_LVL1_DEFAULT);
  isal_zstream stream = {};
  isal_deflate_init(&stream);
  stream.level = 1;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<uint32_t>(level_buffer.size());
  stream.gzip_flag = IGZIP_GZIP;
  std::string out(std::max<size_t>(bytes.size() / 4, 4096), '\0');
  size_t used = 0;
  do {
    const std::string_view piece = bytes.substr(0, kMostAtOnce);
    bytes.remove_prefix(piece.size());
    // It reads its input only, but asks for a pointer to mutable bytes.
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uint32_t>(piece.size());
    stream.end_of_stream = bytes.empty();
    do {
      if (used == out.size()) out.resize(out.size() * 2);
      const size_t room = std::min(out.size() - used, kMostAtOnce);
      stream.next_out = reinterpret_cast<uint8_t*>(out.data() + used);
      stream.avail_out = static_cast<uint32_t>(room);
      isal_deflate(&stream);
      used += room - stream.avail_out;
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
  out.resize(used);
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

}  // namespace stepscope
