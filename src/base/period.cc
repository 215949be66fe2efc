// Parts values into low and high ones, and looks at the distances between the high ones.
#include "base/period.h"

#include <algorithm>
#include <cmath>
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

// The indices of high values, the first of all left out if it does not fit.
std::vector<size_t> HighOnes(std::span<const int64_t> values, double at) {
  std::vector<size_t> high;
  for (size_t i = 0; i < values.size(); ++i) {
    if (static_cast<double>(values[i]) >= at) high.push_back(i);
  }
  if (high.size() > kFewest && high[0] == 0 && high[1] - high[0] != high[2] - high[1])
    high.erase(high.begin());
  return high;
}

bool IsRegular(const std::vector<size_t>& high, size_t count) {
  if (high.size() < kFewest) return false;
  const size_t every = high[1] - high[0];
  for (size_t i = 1; i < high.size(); ++i) {
    if (high[i] - high[i - 1] != every) return false;
  }
  return every >= 2 && high.front() < every && high.back() + every >= count;
}

// Where values of at least `at` are high ones.
std::optional<Period> FindPeriodAt(std::span<const int64_t> values, double least, double at) {
  const std::vector<size_t> high = HighOnes(values, at);
  if (!IsRegular(high, values.size())) return std::nullopt;
  Parted parted = Part(values, at);
  if (parted.low.empty()) return std::nullopt;
  const Period period{.first = high.front(),
                      .every = high[1] - high[0],
                      .times = high.size(),
                      .usual = UpperMedian(parted.low),
                      .high = UpperMedian(parted.high)};
  std::vector<double> deviations;
  for (const double low : parted.low) deviations.push_back(std::abs(low - period.usual));
  const double spread = kDeviationPerMad * UpperMedian(deviations);
  const double difference = period.high - period.usual;
  if (difference < least || difference < kBeyond * spread) return std::nullopt;
  return period;
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

std::optional<Period> FindPeriod(std::span<const int64_t> values, double least) {
  if (values.size() < 2 * kFewest || least <= 0) return std::nullopt;
  const auto period = FindPeriodAt(values, least, Middle(values, least));
  // One of the high values may be nearer to the low ones than to the others.
  return period ? period : FindPeriodAt(values, least, BeyondMost(values, least));
}

}  // namespace stepscope
