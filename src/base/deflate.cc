// zlib, in pieces that its 32-bit counters can hold.
#include "base/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace stepscope {
namespace {

constexpr int kLevel = 6;         // above it, three times the time saves a fortieth
constexpr int kRaw = -MAX_WBITS;  // no header, no checksum
constexpr int kMemory = 9;        // as much as it takes
constexpr size_t kMostAtOnce = size_t{1} << 30;

// Gives the stream its next piece of input. Whether that is the last.
bool Feed(z_stream& stream, std::string_view& bytes) {
  if (stream.avail_in == 0) {
    const std::string_view piece = bytes.substr(0, kMostAtOnce);
    bytes.remove_prefix(piece.size());
    // It reads its input only, but asks for a pointer to mutable bytes.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
  }
  return bytes.empty();
}

// Calls step() with room in `out` until it returns no Z_OK.
template <class Step>
int Run(z_stream& stream, std::string& out, const Step& step) {
  size_t used = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    if (used == out.size()) out.resize(out.size() * 2);
    const size_t room = std::min(out.size() - used, kMostAtOnce);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    state = step();
    used += room - stream.avail_out;
  }
  out.resize(used);
  return state;
}

}  // namespace

std::string Deflate(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(std::max<size_t>(bytes.size() / 4, 256), '\0');
  Run(stream, out, [&] { return deflate(&stream, Feed(stream, bytes) ? Z_FINISH : Z_NO_FLUSH); });
  deflateEnd(&stream);
  return out;
}

Result<std::string> Inflate(std::string_view deflated) {
  z_stream stream = {};
  if (inflateInit2(&stream, kRaw) != Z_OK) throw std::bad_alloc();
  std::string out(std::max<size_t>(deflated.size() * 4, 256), '\0');
  const int state = Run(stream, out, [&] {
    Feed(stream, deflated);
    return inflate(&stream, Z_NO_FLUSH);
  });
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0 && deflated.empty();
  inflateEnd(&stream);
  if (!whole) return std::unexpected(Error{"compressed bytes are damaged", "", ""});
  return out;
}

}  // namespace stepscope
