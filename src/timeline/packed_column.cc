// Packs pairs block by block.
#include "timeline/packed_column.h"

#include <algorithm>

namespace stepscope {
namespace {

uint8_t WidthOf(uint64_t most) {
  if (most == 0) return 0;
  if (most <= UINT8_MAX) return 1;
  if (most <= UINT16_MAX) return 2;
  return most <= UINT32_MAX ? 4 : 8;
}

}  // namespace

void PackedColumn::Append(uint32_t key, int64_t value) {
  keys_[filled_] = key;
  values_[filled_] = value;
  if (++filled_ == kBlock) Flush();
}

void PackedColumn::Finish() {
  if (filled_ > 0) Flush();
  blocks_.shrink_to_fit();
  data_.shrink_to_fit();
}

void PackedColumn::Write(uint64_t number, uint8_t width) {
  const size_t at = data_.size();
  data_.resize(at + width);
  if (width > 0) std::memcpy(data_.data() + at, &number, width);
}

void PackedColumn::Flush() {
  const auto [low, high] = std::minmax_element(values_.begin(), values_.begin() + filled_);
  const uint32_t key_span = keys_[filled_ - 1] - keys_[0];
  Block block{.low = *low, .at = data_.size(), .first = keys_[0]};
  block.count = static_cast<uint8_t>(filled_);
  block.key_width = key_span == filled_ - 1 ? uint8_t{0} : WidthOf(key_span);
  block.value_width = WidthOf(static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low));
  for (uint32_t i = 0; i < filled_; ++i) Write(keys_[i] - keys_[0], block.key_width);
  for (uint32_t i = 0; i < filled_; ++i) {
    Write(static_cast<uint64_t>(values_[i]) - static_cast<uint64_t>(*low), block.value_width);
  }
  blocks_.push_back(block);
  filled_ = 0;
}

std::optional<int64_t> PackedColumn::Find(uint32_t key) const {
  const auto after = std::ranges::upper_bound(blocks_, key, {}, &Block::first);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& block = *(after - 1);
  uint32_t from = 0, to = block.count;
  while (from < to) {
    const uint32_t middle = (from + to) / 2;
    if (KeyAt(block, middle) < key) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  if (from == block.count || KeyAt(block, from) != key) return std::nullopt;
  return ValueAt(block, from);
}

}  // namespace stepscope
