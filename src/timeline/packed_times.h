// Stores times in 4 bytes each: blocks of 64 with the earliest time and offsets from it.
//
// A block that spans more than 4.2 s, where events are few, keeps its times whole, apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stepscope {

class PackedTimes {
 public:
  static constexpr size_t kBlock = 64;

  PackedTimes() = default;
  // `time(i)` for i in [0, count), in any order.
  template <class TimeOf>
  PackedTimes(size_t count, const TimeOf& time) : later_(count) {
    blocks_.reserve((count + kBlock - 1) / kBlock);
    for (size_t begin = 0; begin < count; begin += kBlock) AddBlock(begin, time);
  }

  size_t size() const { return later_.size(); }
  int64_t operator[](size_t i) const {
    const Block& block = blocks_[i / kBlock];
    if (block.wide != kNarrow) return wide_[block.wide + i % kBlock];
    return block.first + later_[i];
  }
  size_t bytes() const {
    return later_.capacity() * sizeof(uint32_t) + blocks_.capacity() * sizeof(Block) +
           wide_.capacity() * sizeof(int64_t);
  }

 private:
  static constexpr size_t kNarrow = SIZE_MAX;
  struct Block {
    int64_t first = 0;
    size_t wide = kNarrow;  // where its times begin in wide_
  };

  template <class TimeOf>
  void AddBlock(size_t begin, const TimeOf& time) {
    const size_t end = begin + kBlock < later_.size() ? begin + kBlock : later_.size();
    int64_t first = time(begin), last = first;
    for (size_t i = begin; i < end; ++i) {
      const int64_t t = time(i);
      first = t < first ? t : first;
      last = t > last ? t : last;
    }
    const bool narrow = last - first <= int64_t{UINT32_MAX};
    blocks_.push_back({first, narrow ? kNarrow : wide_.size()});
    for (size_t i = begin; i < end; ++i) {
      if (narrow) {
        later_[i] = static_cast<uint32_t>(time(i) - first);
      } else {
        wide_.push_back(time(i));
      }
    }
  }

  std::vector<uint32_t> later_;
  std::vector<Block> blocks_;
  std::vector<int64_t> wide_;
};

// The first i in [from, to) with times[i] >= time, else `to`. Looks near `from` first.
// REQUIRES: the times of [from, to) ascend.
template <class Times>
size_t FirstAtOrAfter(const Times& times, size_t from, size_t to, int64_t time) {
  size_t step = 1;
  while (from < to && times[from] < time) {  // from + step - 1 is the next to be looked at
    if (to - from <= step || times[from + step] >= time) {
      size_t low = from + 1, high = to - from <= step ? to : from + step;
      while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (times[middle] < time) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
    from += step;
    step *= 2;
  }
  return from;
}

}  // namespace stepscope
