// Computes the cost of every split with running medians from both ends.
#include "base/change_point.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "base/robust.h"

namespace stepscope {
namespace {

constexpr size_t kFewest = 2;        // values on each side
constexpr size_t kSmallestPart = 8;  // a side has one of so many values
constexpr size_t kExceptions = 10;   // one of so many values may be exceptional

// The sum of absolute deviations from the median of values added one by one.
class RunningDeviation {
 public:
  double Add(double value) {
    const bool is_low = low_.empty() || value <= low_.top();
    if (is_low)
      Push(low_, low_sum_, value);
    else
      Push(high_, high_sum_, value);
    if (low_.size() > high_.size() + 1) Push(high_, high_sum_, Pop(low_, low_sum_));
    if (high_.size() > low_.size()) Push(low_, low_sum_, Pop(high_, high_sum_));
    const double more = static_cast<double>(low_.size()) - static_cast<double>(high_.size());
    return std::max(high_sum_ - low_sum_ + more * low_.top(), 0.0);
  }

 private:
  template <class Heap>
  static void Push(Heap& heap, double& sum, double value) {
    heap.push(value);
    sum += value;
  }
  template <class Heap>
  static double Pop(Heap& heap, double& sum) {
    const double value = heap.top();
    heap.pop();
    sum -= value;
    return value;
  }

  std::priority_queue<double> low_;
  std::priority_queue<double, std::vector<double>, std::greater<>> high_;
  double low_sum_ = 0, high_sum_ = 0;
};

// By how many values were added.
std::vector<double> Costs(const std::vector<double>& values) {
  std::vector<double> costs = {0};
  RunningDeviation deviation;
  for (const double value : values) costs.push_back(deviation.Add(value));
  return costs;
}

struct Split {
  size_t at = 0;
  double cost = 0;
};

// `side`: how many values each side has at least.
Split CheapestSplit(const std::vector<double>& values, size_t side) {
  std::vector<double> reversed(values.rbegin(), values.rend());
  const std::vector<double> before = Costs(values), since = Costs(reversed);
  size_t best = side;
  const auto cost = [&](size_t at) { return before[at] + since[values.size() - at]; };
  for (size_t at = side; at + side <= values.size(); ++at) {
    if (cost(at) < cost(best)) best = at;
  }
  return {best, cost(best)};
}

ChangePoint SplitAt(const std::vector<double>& values, size_t at) {
  const auto boundary = values.begin() + static_cast<std::ptrdiff_t>(at);
  return {.at = at,
          .before = Median({values.begin(), boundary}),
          .since = Median({boundary, values.end()}),
          .before_count = at};
}

// Sides have a smallest length, so the level may begin earlier, or the old one end later: as long
// as values at the boundary are nearer to the level of the other side.
size_t AtTheBoundary(const std::vector<double>& values, const ChangePoint& change) {
  const auto is_new = [&](double value) {
    return std::abs(value - change.since) < std::abs(value - change.before);
  };
  size_t at = change.at;
  while (at > kFewest && is_new(values[at - 1])) --at;
  while (at + kFewest < values.size() && !is_new(values[at])) ++at;
  return at;
}

// The mean absolute deviation from the sides' medians, each of which takes a value away. Where
// sides are long, a tenth of the values may be exceptional, as steps with a checkpoint are.
double Spread(const std::vector<double>& values, const ChangePoint& change) {
  std::vector<double> deviations;
  for (size_t i = 0; i < values.size(); ++i)
    deviations.push_back(std::abs(values[i] - (i < change.at ? change.before : change.since)));
  std::ranges::sort(deviations);
  const size_t shorter = std::min(change.at, values.size() - change.at);
  const size_t left_out = std::min(values.size() / kExceptions, (shorter - kFewest) / 2);
  deviations.resize(values.size() - left_out);
  double sum = 0;
  for (const double deviation : deviations) sum += deviation;
  return sum / static_cast<double>(deviations.size() - std::min<size_t>(deviations.size() - 1, 2));
}

std::optional<ChangePoint> Find(const std::vector<double>& values, double least) {
  if (values.size() < 2 * kFewest) return std::nullopt;
  const size_t side = std::max(kFewest, (values.size() + kSmallestPart - 1) / kSmallestPart);
  const ChangePoint change = SplitAt(values, CheapestSplit(values, side).at);
  const double difference = std::abs(change.Difference());
  const auto freedom = static_cast<double>(values.size() - 2);
  const double times = 6 + 70 / (freedom * freedom);
  const bool clear =
      difference > 0 && difference >= least && difference >= times * Spread(values, change);
  if (!clear) return std::nullopt;
  return SplitAt(values, AtTheBoundary(values, change));
}

}  // namespace

std::optional<ChangePoint> FindChangePoint(std::span<const int64_t> values, double least) {
  std::vector<double> all(values.begin(), values.end());
  if (auto change = Find(all, least)) return change;
  if (all.size() <= 2 * kFewest) return std::nullopt;
  all.erase(all.begin());
  auto change = Find(all, least);
  if (change) ++change->at;
  return change;
}

double DeviationFromOneChange(std::span<const int64_t> values) {
  return CheapestSplit({values.begin(), values.end()}, 1).cost;
}

}  // namespace stepscope
