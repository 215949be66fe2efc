// Begins runs and unpacks numbers.
#include "ingest/parquet/rle_bits.h"

#include <algorithm>

#include "base/varint.h"

namespace stepscope {

bool RleBits::Next(uint32_t& value) {
  if (left_ == 0 && !NextRun()) return false;
  --left_;
  value = packed_ ? Unpack() : repeated_;
  return true;
}

// The lowest bit of a run's head tells groups of eight packed numbers from repetitions of one.
bool RleBits::NextRun() {
  while (left_ == 0) {
    uint64_t head = 0;
    if (!TakeVarint(rest_, head)) return false;
    packed_ = (head & 1) != 0;
    if (packed_) {
      // The last group may be cut short.
      const uint64_t groups = std::min<uint64_t>(head >> 1, rest_.size() + 1);
      const uint64_t bytes =
          std::min<uint64_t>(groups * static_cast<uint64_t>(width_), rest_.size());
      left_ = width_ == 0 ? 8 * groups
                          : std::min(8 * groups, 8 * bytes / static_cast<uint64_t>(width_));
      bits_ = rest_.substr(0, bytes);
      bit_ = 0;
      rest_.remove_prefix(bytes);
      if (left_ == 0) return false;
      continue;
    }
    const auto bytes = static_cast<size_t>((width_ + 7) / 8);
    if (rest_.size() < bytes) return false;
    repeated_ = 0;
    for (size_t i = 0; i < bytes; ++i)
      repeated_ |= static_cast<uint32_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
    rest_.remove_prefix(bytes);
    left_ = head >> 1;
  }
  return true;
}

uint32_t RleBits::Unpack() {
  uint64_t value = 0;
  int have = 0;
  while (have < width_) {
    const auto byte = static_cast<uint8_t>(bits_[bit_ / 8]);
    const int offset = static_cast<int>(bit_ % 8);
    const int take = std::min(8 - offset, width_ - have);
    value |= static_cast<uint64_t>((byte >> offset) & ((1 << take) - 1)) << have;
    have += take;
    bit_ += static_cast<uint64_t>(take);
  }
  return static_cast<uint32_t>(value);
}

}  // namespace stepscope
