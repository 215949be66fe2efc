// Computes statistics that outliers do not affect.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stepscope {

// `a - b`, kept within +-2^61 so that differences of differences fit. REQUIRES: both within +-2^62.
inline int64_t Apart(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 61;
  return std::clamp(a - b, -kMost, kMost);
}

// The upper median. Reorders `values`. REQUIRES: not empty.
template <class T>
T MedianOf(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The standard deviation of normally distributed values in units of their median absolute
// deviation.
inline constexpr double kDeviationPerMad = 1.4826;

// The median absolute deviation. Overwrites `values`. REQUIRES: not empty, and every value within
// +-2^62.
template <class T>
T MadOf(std::vector<T>& values) {
  const T median = MedianOf(values);
  for (T& value : values) value = value < median ? median - value : value - median;
  return MedianOf(values);
}

}  // namespace stepscope
