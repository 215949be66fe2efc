// Computes mean, standard deviation, quartiles and extremes.
#include "base/value_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/saturate.h"

namespace stepscope {
namespace {

// What lies at `share` of the way through the sorted values. Every value before `from` is below
// those behind it; afterwards every one before the result's `from` is.
struct Selected {
  double value = 0;
  size_t from = 0;
};
Selected Select(std::span<int64_t> values, size_t from, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::ranges::nth_element(values.subspan(from), at);
  const double part = place - static_cast<double>(below);
  const auto low = static_cast<double>(*at);
  if (part == 0) return {low, below};
  return {low + (static_cast<double>(*std::min_element(at + 1, values.end())) - low) * part, below};
}

}  // namespace

ValueStatistics DescribeValues(std::span<int64_t> values) {
  ValueStatistics s;
  if (values.empty()) return s;
  s.count = std::ssize(values);
  int64_t sum = 0;
  for (const int64_t value : values) sum = AddSaturated(sum, value);
  s.mean = static_cast<double>(sum) / static_cast<double>(s.count);
  double squares = 0;
  for (const int64_t value : values) {
    const double off = static_cast<double>(value) - s.mean;
    squares += off * off;
  }
  if (s.count > 1) s.stddev = std::sqrt(squares / static_cast<double>(s.count - 1));
  const auto [min, max] = std::ranges::minmax(values);
  s.min = static_cast<double>(min);
  s.max = static_cast<double>(max);
  const Selected p25 = Select(values, 0, 0.25);
  const Selected p50 = Select(values, p25.from, 0.5);
  s.p25 = p25.value;
  s.p50 = p50.value;
  s.p75 = Select(values, p50.from, 0.75).value;
  return s;
}

}  // namespace stepscope
