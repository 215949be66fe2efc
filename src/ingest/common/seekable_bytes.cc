// Reads at any offset: from the file, or from memory if the file cannot seek.
#include "ingest/common/seekable_bytes.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/stop.h"

namespace stepscope {

SeekableBytes::SeekableBytes(ByteSource source) : source_(std::move(source)) {
  if (source_.CanSeek()) {
    size_ = source_.size();
    return;
  }
  constexpr size_t kPart = size_t{1} << 20;
  size_t got = kPart;
  while (got == kPart) {
    const size_t before = held_.size();
    StopIfAsked();
    held_.resize(before + kPart);
    got = source_.Read(std::span(held_).subspan(before));
    held_.resize(before + got);
  }
  size_ = held_.size();
  end_ = source_.end();
}

size_t SeekableBytes::ReadAt(uint64_t offset, std::span<char> out) {
  StopIfAsked();
  if (source_.CanSeek()) return source_.ReadAt(offset, out);
  if (offset >= held_.size()) return 0;
  const size_t count = std::min<size_t>(out.size(), held_.size() - offset);
  std::memcpy(out.data(), held_.data() + offset, count);
  return count;
}

}  // namespace stepscope
