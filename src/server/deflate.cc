// Calls zlib in pieces that fit its 32-bit counters.
#include "server/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace stepscope {
namespace {

constexpr int kLevel = 6;         // above it, three times the time saves a fortieth
constexpr int kRaw = -MAX_WBITS;  // no header, no checksum
constexpr int kMemoryLevel = 9;   // as much as it takes
constexpr size_t kMostAtOnce = size_t{1} << 30;

}  // namespace

struct RawDeflater::Stream {
  Stream() {
    if (deflateInit2(&z, kLevel, Z_DEFLATED, kRaw, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Stream() { deflateEnd(&z); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  z_stream z = {};
  std::string out;
  size_t used = 0;  // of `out`
};

RawDeflater::RawDeflater() : stream_(std::make_unique<Stream>()) {}
RawDeflater::RawDeflater(RawDeflater&&) noexcept = default;
RawDeflater& RawDeflater::operator=(RawDeflater&&) noexcept = default;
RawDeflater::~RawDeflater() = default;

// Until all is taken, and with a flush, all is out.
void RawDeflater::Run(std::string_view bytes, int flush) {
  auto& [z, out, used] = *stream_;
  do {
    const std::string_view piece = bytes.substr(0, kMostAtOnce);
    bytes.remove_prefix(piece.size());
    // It reads its input only, but asks for a pointer to mutable bytes.
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    z.avail_in = static_cast<uInt>(piece.size());
    do {
      if (used == out.size()) out.resize(std::max<size_t>(2 * out.size(), 4096));
      const size_t room = std::min(out.size() - used, kMostAtOnce);
      z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
      z.avail_out = static_cast<uInt>(room);
      deflate(&z, bytes.empty() ? flush : Z_NO_FLUSH);
      used += room - z.avail_out;
    } while (z.avail_out == 0);
  } while (!bytes.empty());
}

void RawDeflater::Add(std::string_view bytes) { Run(bytes, Z_NO_FLUSH); }

size_t RawDeflater::Flush() {
  Run({}, Z_SYNC_FLUSH);
  return stream_->used;
}

std::string RawDeflater::Finish() && {
  Run({}, Z_FINISH);
  stream_->out.resize(stream_->used);
  return std::move(stream_->out);
}

}  // namespace stepscope
