// Stores a growing list of rows of a few integers each, which are close to their neighbors. Of 512
// rows each column holds its lowest number, and each row the difference from it, in as few bytes as
// the largest needs. All numbers of a row lie side by side, so that a row is found once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>

#include "base/growing_array.h"

namespace stepscope {

template <size_t kColumns>
class NarrowRows {
 public:
  using Row = std::array<int64_t, kColumns>;

  NarrowRows() = default;
  NarrowRows(const NarrowRows& other)
      : blocks_(other.blocks_), packed_(other.packed_), last_(other.last_) {
    packed_.Room(sizeof(uint64_t));
  }
  NarrowRows& operator=(const NarrowRows& other) { return *this = NarrowRows(other); }
  NarrowRows(NarrowRows&&) noexcept = default;
  NarrowRows& operator=(NarrowRows&&) noexcept = default;

  void Append(const Row& row) {
    last_.Append(row);
    if (last_.size() == kBlock) Pack();
  }

  size_t size() const { return blocks_.size() * kBlock + last_.size(); }
  bool empty() const { return size() == 0; }
  size_t bytes() const { return blocks_.bytes() + packed_.bytes() + last_.bytes(); }

 private:
  struct Block {
    std::array<uint64_t, kColumns> low{}, mask{};  // the bits that belong to a number
    std::array<uint32_t, kColumns> offset{};       // of the numbers in a row, in bytes
    uint32_t stride = 0;                           // of the rows
    size_t at = 0;  // of the first in packed_, which has room for 8 bytes behind its end
  };

 public:
  // A row, to ask for its numbers. Valid until something is appended.
  class Place {
   public:
    template <size_t kColumn>
    [[gnu::always_inline]] int64_t Get() const {
      uint64_t above = 0;
      std::memcpy(&above, row_ + block_->offset[kColumn], sizeof above);
      return static_cast<int64_t>(block_->low[kColumn] + (above & block_->mask[kColumn]));
    }

   private:
    friend class NarrowRows;
    Place(const Block& block, const std::byte* row) : block_(&block), row_(row) {}
    const Block* block_;
    const std::byte* row_;
  };
  [[gnu::always_inline]] Place operator[](size_t i) const {
    const size_t b = i / kBlock;
    if (b == blocks_.size()) return {kOpen, reinterpret_cast<const std::byte*>(&last_[i % kBlock])};
    const Block& block = blocks_[b];
    return {block, &packed_[block.at + i % kBlock * block.stride]};
  }

  // The first i with a number of at least `value` in the column, else size(). REQUIRES: these
  // ascend.
  template <size_t kColumn>
  size_t LowerBound(int64_t value) const {
    const auto at = [this](size_t i) { return (*this)[i].template Get<kColumn>(); };
    return *std::ranges::lower_bound(std::views::iota(size_t{0}, size()), value, {}, at);
  }

  // Calls f(i) for every row with this number in the column, ascending, until it returns false.
  // Blocks that cannot hold it are passed over.
  template <size_t kColumn, class F>
  void ForEachEqual(int64_t value, const F& f) const {
    for (size_t b = 0; b <= blocks_.size(); ++b) {
      if (b < blocks_.size() && !MayHold<kColumn>(blocks_[b], value)) continue;
      const size_t end = std::min((b + 1) * kBlock, size());
      for (size_t i = b * kBlock; i < end; ++i) {
        if ((*this)[i].template Get<kColumn>() == value && !f(i)) return;
      }
    }
  }

  // As GrowingArray::Release().
  void Release(size_t count) {
    const size_t block = count / kBlock;
    packed_.Release(block < blocks_.size() ? blocks_[block].at : packed_.size());
  }

 private:
  static constexpr size_t kBlock = 512;
  // What rows are that stand as they were appended.
  static constexpr Block kOpen = [] {
    Block block;
    for (size_t c = 0; c < kColumns; ++c) {
      block.mask[c] = ~uint64_t{0};
      block.offset[c] = static_cast<uint32_t>(c * sizeof(int64_t));
    }
    block.stride = sizeof(Row);
    return block;
  }();

  template <size_t kColumn>
  static bool MayHold(const Block& block, int64_t value) {
    const uint64_t above = static_cast<uint64_t>(value) - block.low[kColumn];
    return value >= static_cast<int64_t>(block.low[kColumn]) && (above & ~block.mask[kColumn]) == 0;
  }

  // How to keep the rows of last_.
  Block Measure() const {
    Row low = last_[0], high = last_[0];
    for (const Row& row : last_.view()) {
      for (size_t c = 0; c < kColumns; ++c) {
        low[c] = std::min(low[c], row[c]);
        high[c] = std::max(high[c], row[c]);
      }
    }
    Block block{.at = packed_.size()};
    for (size_t c = 0; c < kColumns; ++c) {
      block.low[c] = static_cast<uint64_t>(low[c]);
      block.offset[c] = block.stride;
      const auto bits = std::bit_width(static_cast<uint64_t>(high[c]) - block.low[c]);
      const auto bytes = (static_cast<uint32_t>(bits) + 7) / 8;
      if (bytes > 0) block.mask[c] = ~uint64_t{0} >> (64 - 8 * bytes);
      block.stride += bytes;
    }
    return block;
  }

  void Pack() {
    static_assert(std::endian::native == std::endian::little);
    const Block block = Measure();
    std::byte* out = packed_.Room(kBlock * block.stride + sizeof(uint64_t));
    for (const Row& row : last_.view()) {
      for (size_t c = 0; c < kColumns; ++c) {
        const uint64_t above = static_cast<uint64_t>(row[c]) - block.low[c];
        // What is too much is written over by what comes next.
        std::memcpy(out + block.offset[c], &above, sizeof above);
      }
      out += block.stride;
    }
    blocks_.Append(block);
    packed_.Extend(kBlock * block.stride);
    last_.Resize(0);
  }

  GrowingArray<Block> blocks_;
  GrowingArray<std::byte> packed_;
  GrowingArray<Row> last_;  // of a block that is not full
};

}  // namespace stepscope
