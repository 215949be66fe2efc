// Computes what pandas' describe() says of numbers.
#pragma once

#include <cstdint>
#include <span>

namespace stepscope {

struct ValueStatistics {
  int64_t count = 0;
  double mean = 0;
  double stddev = 0;  // of the sample (n - 1); 0 of fewer than two
  double min = 0, p25 = 0, p50 = 0, p75 = 0, max = 0;
};

// Quartiles interpolate linearly between neighbors. They are selected and not sorted for, so that
// it takes time by the number of values. Reorders `values`; none gives all zeros.
ValueStatistics DescribeValues(std::span<int64_t> values);

}  // namespace stepscope
