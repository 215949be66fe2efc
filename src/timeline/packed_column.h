// A sparse column of whole numbers, packed: 3 to 6 bytes for a pair of key and value instead of 12.
//
// Pairs stand in blocks of 128. A block holds its lowest value and first key, and of each pair what
// is added to them in as few bytes as the block allows.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace stepscope {

class PackedColumn {
 public:
  // REQUIRES: `key` is above all before it, and Finish() was not called.
  void Append(uint32_t key, int64_t value);
  // Ends building; before it nothing is found.
  void Finish();

  std::optional<int64_t> Find(uint32_t key) const;

  // Calls f(key) for every pair of this value, ascending, until it returns false. Blocks that
  // cannot hold the value are passed over.
  template <class F>
  void ForEachKeyOf(int64_t value, const F& f) const {
    for (const Block& block : blocks_) {
      if (!MayHold(block, value)) continue;
      for (uint32_t i = 0; i < block.count; ++i) {
        if (ValueAt(block, i) == value && !f(KeyAt(block, i))) return;
      }
    }
  }
  // Calls f(value) for every pair.
  template <class F>
  void ForEachValue(const F& f) const {
    for (const Block& block : blocks_) {
      for (uint32_t i = 0; i < block.count; ++i) f(ValueAt(block, i));
    }
  }

  bool empty() const { return blocks_.empty(); }
  size_t bytes() const { return blocks_.capacity() * sizeof(Block) + data_.capacity(); }

 private:
  static constexpr uint32_t kBlock = 128;

  struct Block {
    int64_t low = 0;
    size_t at = 0;  // of its pairs in data_: all keys, then all values
    uint32_t first = 0;
    uint8_t count = 0;
    uint8_t key_width = 0, value_width = 0;  // bytes: 0, 1, 2, 4 or 8
  };

  uint64_t Read(size_t at, uint8_t width) const {
    uint64_t number = 0;
    if (width > 0) std::memcpy(&number, data_.data() + at, width);  // little-endian
    return number;
  }
  uint32_t KeyAt(const Block& block, uint32_t i) const {
    if (block.key_width == 0) return block.first + i;  // one key after the other
    return block.first +
           static_cast<uint32_t>(Read(block.at + size_t{i} * block.key_width, block.key_width));
  }
  int64_t ValueAt(const Block& block, uint32_t i) const {
    const size_t at = block.at + size_t{block.count} * block.key_width;
    const uint64_t above = Read(at + size_t{i} * block.value_width, block.value_width);
    return static_cast<int64_t>(static_cast<uint64_t>(block.low) + above);
  }
  static bool MayHold(const Block& block, int64_t value) {
    if (value < block.low) return false;
    const uint64_t above = static_cast<uint64_t>(value) - static_cast<uint64_t>(block.low);
    return block.value_width == 8 || above >> (8 * block.value_width) == 0;
  }
  void Flush();
  void Write(uint64_t number, uint8_t width);

  std::vector<Block> blocks_;
  std::vector<uint8_t> data_;
  std::array<uint32_t, kBlock> keys_{};  // of the block that is being filled
  std::array<int64_t, kBlock> values_{};
  uint32_t filled_ = 0;
};

}  // namespace stepscope
