// zlib, in pieces that its 32-bit counters can hold.
#include "base/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <new>

namespace stepscope {
namespace {

constexpr int kLevel = 6;         // above it, three times the time saves a fortieth
constexpr int kRaw = -MAX_WBITS;  // no header, no checksum
constexpr int kMemory = 9;        // as much as it takes
constexpr size_t kMostAtOnce = size_t{1} << 30;

}  // namespace

std::string Deflate(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, deflateEnd);
  std::string out(std::max<size_t>(bytes.size() / 4, 256), '\0');
  size_t used = 0;
  for (int state = Z_OK; state == Z_OK;) {
    if (stream.avail_in == 0) {
      const std::string_view piece = bytes.substr(0, kMostAtOnce);
      bytes.remove_prefix(piece.size());
      // It reads its input only, but asks for a pointer to mutable bytes.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    if (used == out.size()) out.resize(out.size() * 2);
    const size_t room = std::min(out.size() - used, kMostAtOnce);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    used += room - stream.avail_out;
  }
  out.resize(used);
  return out;
}

}  // namespace stepscope
