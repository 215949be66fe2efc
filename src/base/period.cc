// Parts values into low and high ones, and looks at the distances between the high ones.
#include "base/period.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/robust.h"

namespace stepscope {
namespace {

constexpr size_t kFewest = 3;
constexpr int kRounds = 8;
constexpr double kBeyond = 4;  // deviations of the low values

struct Parted {
  std::vector<double> low, high;
};

Parted Part(std::span<const int64_t> values, double at) {
  Parted parted;
  for (const int64_t value : values) {
    const auto v = static_cast<double>(value);
    (v < at ? parted.low : parted.high).push_back(v);
  }
  return parted;
}

// Between the two medians, by their ratio: a few values may be much higher than the other high
// ones. `least` keeps small values from counting.
double Middle(std::span<const int64_t> values, double least) {
  std::vector<double> all;
  for (const int64_t value : values) all.push_back(static_cast<double>(value));
  double at = std::ranges::max(all);
  double low = UpperMedian(all);
  for (int round = 0; round < kRounds; ++round) {
    Parted parted = Part(values, at);
    if (parted.low.empty() || parted.high.empty()) break;
    low = UpperMedian(parted.low);
    at = std::sqrt((low + least) * (UpperMedian(parted.high) + least)) - least;
  }
  return at;
}

using Places = std::span<const int64_t>;

// The distance that divides all distances between these; 0 of fewer than two.
int64_t DistanceOf(Places places, const std::vector<size_t>& high) {
  int64_t every = 0;
  for (size_t i = 1; i < high.size(); ++i)
    every = std::gcd(every, places[high[i]] - places[high[i - 1]]);
  return every;
}

// Whether these are all that have a place in one period.
bool IsRegular(Places places, const std::vector<size_t>& high) {
  if (high.size() < kFewest) return false;
  const int64_t every = DistanceOf(places, high), first = places[high.front()];
  const auto in_period = std::ranges::count_if(
      places, [&](int64_t place) { return every > 1 && (place - first) % every == 0; });
  return in_period == std::ssize(high);
}

// The indices of high values, the first of all left out if it does not fit.
std::vector<size_t> HighOnes(Places places, std::span<const int64_t> values, double at) {
  std::vector<size_t> high;
  for (size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(values[i]) >= at) high.push_back(i);
  }
  if (high.size() > kFewest && high[0] == 0 && !IsRegular(places, high)) high.erase(high.begin());
  return high;
}

// Where values of at least `at` are high ones.
std::optional<Period> FindPeriodAt(Places places, std::span<const int64_t> values, double least,
                                   double at) {
  std::vector<size_t> high = HighOnes(places, values, at);
  if (!IsRegular(places, high)) return std::nullopt;
  Parted parted = Part(values, at);
  if (parted.low.empty()) return std::nullopt;
  Period period{.members = {},
                .every = DistanceOf(places, high),
                .usual = UpperMedian(parted.low),
                .high = UpperMedian(parted.high)};
  period.members = std::move(high);
  std::vector<double> deviations;
  for (const double low : parted.low) deviations.push_back(std::abs(low - period.usual));
  const double spread = kDeviationPerMad * UpperMedian(deviations);
  const double difference = period.high - period.usual;
  if (difference < least || difference < kBeyond * spread) return std::nullopt;
  return period;
}

// Below the widest gap, by ratio, that has three values above it, and half of all or more below.
double BelowGap(std::span<const int64_t> values, double least) {
  std::vector<int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::ranges::greater{});
  double widest = 0, at = static_cast<double>(sorted.front());
  for (size_t i = kFewest; i <= sorted.size() / 2; ++i) {
    const auto above = static_cast<double>(sorted[i - 1]), below = static_cast<double>(sorted[i]);
    const double ratio = (above + least) / (below + least);
    if (ratio > widest) at = above;
    widest = std::max(widest, ratio);
  }
  return at;
}

// Above all values that differ by the spread of most.
double BeyondMost(std::span<const int64_t> values, double least) {
  std::vector<double> all;
  for (const int64_t value : values) all.push_back(static_cast<double>(value));
  const double usual = UpperMedian(all);
  for (double& value : all) value = std::abs(value - usual);
  return usual + std::max(least, kBeyond * kDeviationPerMad * UpperMedian(all));
}

}  // namespace

std::optional<Period> FindPeriod(std::span<const int64_t> places, std::span<const int64_t> values,
                                 double least) {
  if (values.size() < 2 * kFewest || least <= 0) return std::nullopt;
  // One of the high values may be nearer to the low ones than to the others, and what is no part of
  // the period may be beyond the spread of most.
  for (const auto& part : {Middle, BeyondMost, BelowGap}) {
    auto period = FindPeriodAt(places, values, least, part(values, least));
    if (period) return period;
  }
  return std::nullopt;
}

}  // namespace stepscope
