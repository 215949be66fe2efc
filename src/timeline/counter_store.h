// Stores the points of one counter, packed, with the minimum and maximum of every 64 and 4096.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline/packed_times.h"

namespace stepscope {

// A value from a time on.
struct CounterPoint {
  int64_t time = 0;  // ns
  double value = 0;
};

class CounterStore {
 public:
  CounterStore() = default;
  // REQUIRES: times ascend.
  explicit CounterStore(std::span<const CounterPoint> points);

  size_t size() const { return values_.size(); }
  int64_t Time(size_t i) const { return times_[i]; }
  float Value(size_t i) const { return values_[i]; }
  // Of [from, to), the first point at `time` or later, else `to`.
  size_t FirstFrom(size_t from, size_t to, int64_t time) const {
    return FirstAtOrAfter(times_, from, to, time);
  }
  struct Range {
    float low = 0, high = 0;
  };
  // Of the points in [from, to). REQUIRES: from < to.
  Range RangeOf(size_t from, size_t to) const;
  size_t bytes() const;

 private:
  PackedTimes times_;
  std::vector<float> values_;
  std::vector<Range> blocks_, huge_;  // of 64 points, and of 4096
};

}  // namespace stepscope
