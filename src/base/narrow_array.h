// A growing array of numbers that are like their neighbours, such as the times and names of events:
// append, index.
//
// Numbers stand in blocks of 512. A block holds its lowest number, and of each what is added to it
// in as few bytes as the block allows, none if all are alike: 2 to 4 bytes for a time of 8. Reading
// one costs a look at its block more than reading from a plain array.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>

#include "base/growing_array.h"

namespace stepscope {

template <class T>
  requires std::integral<T> || std::same_as<T, double>
class NarrowArray {
 public:
  NarrowArray() = default;
  NarrowArray(const NarrowArray& other)
      : blocks_(other.blocks_), packed_(other.packed_), last_(other.last_) {
    packed_.Room(sizeof(uint64_t));
  }
  NarrowArray& operator=(const NarrowArray& other) { return *this = NarrowArray(other); }
  NarrowArray(NarrowArray&&) noexcept = default;
  NarrowArray& operator=(NarrowArray&&) noexcept = default;

  void Append(T value) {
    last_.Append(value);
    if (last_.size() == kBlock) Pack();
  }

  size_t size() const { return blocks_.size() * kBlock + last_.size(); }
  bool empty() const { return size() == 0; }
  size_t bytes() const { return blocks_.bytes() + packed_.bytes() + last_.bytes(); }

  [[gnu::always_inline]] T operator[](size_t i) const {
    const size_t b = i / kBlock;
    if (b == blocks_.size()) return last_[i % kBlock];
    const Block& block = blocks_[b];
    uint64_t above = 0;
    std::memcpy(&above, &packed_[block.at + i % kBlock * block.width], sizeof above);
    return FromHeight(block.low + (above & kMasks[block.width]));
  }
  // REQUIRES: !empty()
  T back() const { return (*this)[size() - 1]; }

  // The first i with (*this)[i] >= value, else size(). REQUIRES: the numbers ascend.
  size_t LowerBound(T value) const {
    const auto at = [this](size_t i) { return (*this)[i]; };
    return *std::ranges::lower_bound(std::views::iota(size_t{0}, size()), value, {}, at);
  }

  // Calls f(i) for every i with (*this)[i] == value, ascending, until it returns false. Blocks that
  // cannot hold the value are passed over.
  template <class F>
  void ForEachEqual(T value, const F& f) const {
    for (size_t b = 0; b <= blocks_.size(); ++b) {
      if (b < blocks_.size() && !MayHold(blocks_[b], Height(value))) continue;
      const size_t end = std::min((b + 1) * kBlock, size());
      for (size_t i = b * kBlock; i < end; ++i) {
        if ((*this)[i] == value && !f(i)) return;
      }
    }
  }

  // As GrowingArray::LetGo().
  void LetGo(size_t count) {
    const size_t block = count / kBlock;
    packed_.LetGo(block < blocks_.size() ? blocks_[block].at : packed_.size());
  }

 private:
  static constexpr size_t kBlock = 512;
  static constexpr uint64_t kZero = uint64_t{1} << 63;
  // The bits that belong to a number of so many bytes, of the 8 that are read.
  static constexpr std::array<uint64_t, 9> kMasks = [] {
    std::array<uint64_t, 9> masks{};
    for (size_t width = 1; width < masks.size(); ++width)
      masks[width] = ~uint64_t{0} >> (64 - 8 * width);
    return masks;
  }();

  struct Block {
    uint64_t low = 0;  // height of its lowest number
    size_t at = 0;     // of its first number in packed_, which has room for 8 bytes behind its end
    size_t width = 0;  // of each, in bytes
  };

  // How far a whole number lies above the lowest there is. Of a double: its bits.
  static uint64_t Height(T value) {
    if constexpr (std::same_as<T, double>)
      return std::bit_cast<uint64_t>(value);
    else
      return static_cast<uint64_t>(value) + kZero;
  }
  static T FromHeight(uint64_t height) {
    if constexpr (std::same_as<T, double>)
      return std::bit_cast<double>(height);
    else
      return static_cast<T>(height - kZero);
  }

  static bool MayHold(const Block& block, uint64_t height) {
    return height >= block.low && ((height - block.low) & ~kMasks[block.width]) == 0;
  }

  void Pack() {
    static_assert(std::endian::native == std::endian::little);
    const auto [low, high] = std::ranges::minmax(last_.view() | std::views::transform(Height));
    const size_t width = (static_cast<size_t>(std::bit_width(high - low)) + 7) / 8;
    std::byte* out = packed_.Room(kBlock * width + sizeof(uint64_t));
    for (const T value : last_.view()) {
      const uint64_t above = Height(value) - low;
      std::memcpy(out, &above, sizeof above);  // what is too much is written over by the next
      out += width;
    }
    blocks_.Append({.low = low, .at = packed_.size(), .width = width});
    packed_.Extend(kBlock * width);
    last_.Resize(0);
  }

  GrowingArray<Block> blocks_;
  GrowingArray<std::byte> packed_;
  GrowingArray<T> last_;  // of a block that is not full
};

}  // namespace stepscope
