// Computes mean, percentiles, extremes and a histogram of a set of durations.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope {

struct Distribution {
  int64_t count = 0;
  int64_t sum = 0;
  int64_t mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;  // rounded to the nearest
  int64_t min = 0, max = 0;
};

// Percentiles interpolate linearly between neighbors, as pandas and NumPy do. Sorts `values`; none
// gives all zeros.
Distribution Describe(std::vector<int64_t>& values);

// Pairs of a bucket's lower bound and how many values lie in it.
using Histogram = std::vector<std::pair<int64_t, int64_t>>;

// In at most 32 buckets from the lowest value to the highest. Equally wide ones show
// humps that lie close together; where the highest is 16 times the lowest or more, each is wider
// than the one before by the same factor.
Histogram HistogramOfRange(const std::vector<int64_t>& values);

}  // namespace stepscope
