// Finds the usual time of a step, and the deviations from it.
#include "goodput/accounting/ml_deviation.h"

#include <algorithm>
#include <cmath>

#include "base/robust.h"

namespace stepscope::goodput {
namespace {

// The 90th percentile of more than ten values, interpolated linearly.
double P90(std::vector<double> values) {
  std::ranges::sort(values);
  const double at = 0.9 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  return values[below] + (values[below + 1] - values[below]) * (at - static_cast<double>(below));
}

std::optional<double> IdealOf(const std::vector<std::pair<int64_t, double>>& steps) {
  std::vector<double> times, distances;
  for (const auto& [step, time] : steps) {
    if (time >= 1.0) times.push_back(time);
  }
  if (times.empty()) return std::nullopt;
  const double median = Median(times);
  for (const double time : times) distances.push_back(std::abs(time - median));
  const double slowest = median + 3 * Median(std::move(distances));
  double sum = 0;
  int64_t count = 0;
  for (const double time : times) {
    if (time > slowest) continue;
    sum += time;
    ++count;
  }
  return sum / static_cast<double>(count);
}

void Publish(MlDeviation& deviation) {
  constexpr size_t kRecent = 100, kBefore = 1000;
  std::vector<double> values;
  for (const auto& [step, value] : deviation.by_step) values.push_back(std::abs(value));
  if (values.empty()) return;
  if (values.size() < kRecent) {
    double sum = 0;
    for (const double v : values) sum += v;
    deviation.cumulative = deviation.interval = sum / static_cast<double>(values.size());
    return;
  }
  const auto recent = values.end() - kRecent;
  deviation.interval = deviation.cumulative = P90({recent, values.end()});
  if (values.size() >= kRecent + kBefore) {
    *deviation.cumulative -= Median({recent - kBefore, recent});
  }
}

}  // namespace

MlDeviation DeviationOf(std::vector<std::pair<int64_t, double>> times, std::optional<double> ideal,
                        bool is_signed) {
  MlDeviation deviation;
  deviation.ideal = ideal ? ideal : IdealOf(times);
  if (deviation.ideal) {
    for (const auto& [step, time] : times) {
      const double more = time - *deviation.ideal;
      deviation.by_step.emplace_back(step, is_signed ? more : std::abs(more));
    }
    Publish(deviation);
  }
  deviation.times = std::move(times);
  return deviation;
}

}  // namespace stepscope::goodput
