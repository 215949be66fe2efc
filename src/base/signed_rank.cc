// Ranks differences by size, and counts the subsets of ranks with so small a sum.
#include "base/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace stepscope {
namespace {

constexpr size_t kMostExact = 50;

// The sum of the ranks of those below 0.
double SumBelow(std::vector<double> values) {
  std::ranges::sort(values, {}, [](double value) { return std::abs(value); });
  double sum = 0;
  for (size_t i = 0; i < values.size();) {
    size_t end = i;
    while (end < values.size() && std::abs(values[end]) == std::abs(values[i])) ++end;
    const double rank = static_cast<double>(i + 1 + end) / 2;  // of equal ones, the mean
    for (; i < end; ++i) sum += values[i] < 0 ? rank : values[i] == 0 ? rank / 2 : 0;
  }
  return sum;
}

// Of all 2^n subsets of the ranks 1 to n, the share whose sum is `most` or less.
double ShareOfSubsets(size_t n, double most) {
  const size_t all = n * (n + 1) / 2;
  std::vector<double> share(all + 1, 0);  // of subsets, by sum
  share[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank) {
    for (size_t sum = all; sum >= rank; --sum) share[sum] = (share[sum] + share[sum - rank]) / 2;
    for (size_t sum = 0; sum < rank; ++sum) share[sum] /= 2;
  }
  double within = 0;
  for (size_t sum = 0; sum <= all && static_cast<double>(sum) <= most; ++sum) within += share[sum];
  return within;
}

}  // namespace

double ChanceToBeAbove(const std::vector<double>& values) {
  if (values.empty()) return 1;
  const double below = SumBelow(values);
  if (values.size() <= kMostExact) return ShareOfSubsets(values.size(), below);
  const auto n = static_cast<double>(values.size());
  const double mean = n * (n + 1) / 4, deviation = std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  return std::erfc((mean - below) / (deviation * std::numbers::sqrt2)) / 2;
}

}  // namespace stepscope
