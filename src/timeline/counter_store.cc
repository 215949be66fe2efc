// Packs counters, and finds their minimum and maximum block by block.
#include "timeline/counter_store.h"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

constexpr size_t kBlock = PackedTimes::kBlock;
constexpr size_t kHuge = 64 * kBlock;

void Widen(CounterStore::Range& range, const CounterStore::Range& other) {
  range = {std::min(range.low, other.low), std::max(range.high, other.high)};
}

}  // namespace

CounterStore::CounterStore(std::span<const CounterPoint> points)
    : times_(points.size(), [&](size_t i) { return points[i].time; }) {
  values_.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto value = static_cast<float>(std::clamp(points[i].value, -kMost, kMost));
    values_.push_back(value);
    const Range own = {value, value};
    if (i % kBlock == 0) blocks_.push_back(own);
    if (i % kHuge == 0) huge_.push_back(own);
    Widen(blocks_.back(), own);
    Widen(huge_.back(), own);
  }
}

CounterStore::Range CounterStore::RangeOf(size_t from, size_t to) const {
  Range range = {values_[from], values_[from]};
  for (size_t i = from; i < to;) {
    if (i % kHuge == 0 && i + kHuge <= to) {
      Widen(range, huge_[i / kHuge]);
      i += kHuge;
    } else if (i % kBlock == 0 && i + kBlock <= to) {
      Widen(range, blocks_[i / kBlock]);
      i += kBlock;
    } else {
      Widen(range, {values_[i], values_[i]});
      ++i;
    }
  }
  return range;
}

size_t CounterStore::bytes() const {
  return times_.bytes() + values_.capacity() * sizeof(float) +
         (blocks_.capacity() + huge_.capacity()) * sizeof(Range);
}

}  // namespace stepscope
