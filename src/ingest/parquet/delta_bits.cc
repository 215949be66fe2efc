// https://github.com/apache/parquet-format/blob/master/Encodings.md: all arithmetic wraps around.
#include "ingest/parquet/delta_bits.h"

#include <algorithm>

#include "base/varint.h"

namespace stepscope {
namespace {

uint64_t FromZigZag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

bool TakeZigZag(std::string_view& bytes, uint64_t& value) {
  if (!TakeVarint(bytes, value)) return false;
  value = FromZigZag(value);
  return true;
}

}  // namespace

bool DeltaBits::Begin() {
  begun_ = true;
  const bool whole = TakeVarint(rest_, block_) && TakeVarint(rest_, mini_blocks_) &&
                     TakeVarint(rest_, left_) && TakeZigZag(rest_, value_);
  constexpr uint64_t kMostInBlock = uint64_t{1} << 24;
  const bool fits = whole && block_ > 0 && block_ <= kMostInBlock && mini_blocks_ > 0 &&
                    mini_blocks_ <= block_ && block_ % mini_blocks_ == 0 &&
                    block_ / mini_blocks_ % 8 == 0;
  if (!fits) left_ = 0;
  return fits;
}

bool DeltaBits::Next(int64_t& value) {
  if (!begun_ && !Begin()) return false;
  if (left_ == 0) return false;
  if (first_) {
    first_ = false;
  } else {
    uint64_t over = 0;
    if ((left_in_part_ == 0 && !NextMiniBlock()) || !Unpack(over)) {
      left_ = 0;
      return false;
    }
    --left_in_part_;
    value_ += least_ + over;
  }
  --left_;
  value = static_cast<int64_t>(value_);
  return true;
}

bool DeltaBits::NextBlock() {
  if (!TakeZigZag(rest_, least_) || rest_.size() < mini_blocks_) return false;
  widths_ = rest_.substr(0, mini_blocks_);
  rest_.remove_prefix(mini_blocks_);
  return true;
}

bool DeltaBits::NextMiniBlock() {
  if (widths_.empty() && !NextBlock()) return false;
  width_ = static_cast<unsigned char>(widths_.front());
  widths_.remove_prefix(1);
  if (width_ > 64) return false;
  left_in_part_ = block_ / mini_blocks_;
  // The last part may be cut off behind its last number.
  const uint64_t bytes = std::min<uint64_t>(left_in_part_ / 8 * width_, rest_.size());
  packed_ = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  bit_ = 0;
  return true;
}

bool DeltaBits::Unpack(uint64_t& over) {
  if (bit_ + width_ > packed_.size() * 8) return false;
  over = 0;
  for (unsigned done = 0; done < width_;) {
    const unsigned at = bit_ % 8, take = std::min(8 - at, width_ - done);
    const auto byte = static_cast<unsigned char>(packed_[bit_ / 8]);
    over |= static_cast<uint64_t>((byte >> at) & ((1u << take) - 1)) << done;
    done += take;
    bit_ += take;
  }
  return true;
}

}  // namespace stepscope
