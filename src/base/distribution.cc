// Computes statistics of durations.
#include "base/distribution.h"

#include <algorithm>
#include <cmath>

#include "base/saturate.h"

namespace stepscope {
namespace {

// REQUIRES: sorted, not empty.
int64_t Percentile(const std::vector<int64_t>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const auto step = static_cast<double>(sorted[above] - sorted[below]);
  return sorted[below] + std::llround(step * (place - static_cast<double>(below)));
}

}  // namespace

Distribution Describe(std::vector<int64_t>& values) {
  Distribution d;
  if (values.empty()) return d;
  std::ranges::sort(values);
  d.count = static_cast<int64_t>(values.size());
  for (const int64_t value : values) d.sum = AddSaturated(d.sum, value);
  d.mean = std::llround(static_cast<double>(d.sum) / static_cast<double>(d.count));
  d.p50 = Percentile(values, 0.5);
  d.p90 = Percentile(values, 0.9);
  d.p95 = Percentile(values, 0.95);
  d.p99 = Percentile(values, 0.99);
  d.min = values.front();
  d.max = values.back();
  return d;
}

Histogram HistogramOfRange(const std::vector<int64_t>& values) {
  constexpr int64_t kBuckets = 32;
  constexpr double kWide = 16;
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  const double low = static_cast<double>(std::max<int64_t>(least, 1));
  const double ratio = static_cast<double>(most) / low;
  const double width = (static_cast<double>(most) - static_cast<double>(least) + 1) / kBuckets;
  Histogram buckets;
  for (int64_t b = 0; b < kBuckets; ++b) {
    const double at = ratio >= kWide ? low * std::pow(ratio, static_cast<double>(b) / kBuckets)
                                     : static_cast<double>(least) + width * static_cast<double>(b);
    int64_t bound = b == 0 ? least : most;
    if (b > 0 && at < static_cast<double>(most)) bound = static_cast<int64_t>(std::ceil(at));
    if (buckets.empty() || bound > buckets.back().first) buckets.emplace_back(bound, 0);
  }
  for (const int64_t value : values) {
    const auto after = std::ranges::upper_bound(buckets, value, {}, &Histogram::value_type::first);
    ++std::prev(after)->second;
  }
  return buckets;
}

}  // namespace stepscope
