// Computes statistics that outliers do not affect.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stepscope {

// The standard deviation of normally distributed values in units of their median absolute
// deviation.
inline constexpr double kDeviationPerMad = 1.4826;

// The mean of the middle two of an even number. REQUIRES: not empty.
inline double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// The upper of the middle two of an even number. Reorders `values`. REQUIRES: not empty.
template <class T>
T UpperMedian(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The median absolute deviation. Overwrites `values`. REQUIRES: not empty, and every value within
// +-2^62.
template <class T>
T MadOf(std::vector<T>& values) {
  const T median = UpperMedian(values);
  for (T& value : values) value = value < median ? median - value : value - median;
  return UpperMedian(values);
}

}  // namespace stepscope
