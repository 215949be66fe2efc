// Sums steps into curves.
#include "facts/devices/step_curve.h"

#include <algorithm>
#include <utility>

#include "base/saturate.h"

namespace stepscope {

// In place: a long recording's curve is as large as its work.
std::vector<StepCurve::Point> StepCurve::Levels() {
  std::ranges::sort(changes_, {}, &Point::time);
  size_t levels = 0;
  int64_t level = 0;
  for (size_t i = 0; i < changes_.size();) {
    const int64_t time = changes_[i].time;
    const int64_t before = level;
    for (; i < changes_.size() && changes_[i].time == time; ++i) level += changes_[i].level;
    if (level != before || i == changes_.size()) changes_[levels++] = {time, level};
  }
  changes_.resize(levels);
  return std::exchange(changes_, {});
}

CurveStatistics Measure(const std::vector<StepCurve::Point>& levels, int64_t limit) {
  CurveStatistics s;
  double area = 0;
  for (size_t i = 0; i + 1 < levels.size(); ++i) {
    const int64_t lasts = levels[i + 1].time - levels[i].time;
    const int64_t level = levels[i].level;
    area += static_cast<double>(level) * static_cast<double>(lasts);
    s.max = std::max(s.max, level);
    if (level >= limit) s.time_at_limit = AddSaturated(s.time_at_limit, lasts);
    if (level > 0) s.time_above_zero = AddSaturated(s.time_above_zero, lasts);
  }
  if (levels.size() < 2) return s;
  const auto whole = static_cast<double>(levels.back().time - levels.front().time);
  if (whole > 0) s.mean = area / whole;
  if (s.time_above_zero > 0) s.mean_above_zero = area / static_cast<double>(s.time_above_zero);
  return s;
}

std::vector<std::pair<double, double>> Thin(const std::vector<StepCurve::Point>& levels,
                                            int64_t wanted) {
  const auto most = static_cast<size_t>(std::clamp<int64_t>(wanted, 2, 100'000));
  std::vector<std::pair<double, double>> points;
  if (levels.empty()) return points;
  const int64_t begin = levels.front().time;
  const auto whole = static_cast<double>(levels.back().time - begin);
  const auto bin_of = [&](int64_t time) {
    return whole > 0 ? static_cast<size_t>(static_cast<double>(time - begin) / whole *
                                           static_cast<double>(most - 1))
                     : 0;
  };
  size_t bin = SIZE_MAX;
  for (const StepCurve::Point& p : levels) {
    const std::pair<double, double> point(static_cast<double>(p.time - begin),
                                          static_cast<double>(p.level));
    if (levels.size() <= most || bin_of(p.time) != bin || points.empty()) {
      points.push_back(point);
    } else if (point.second > points.back().second) {
      points.back() = point;
    }
    bin = bin_of(p.time);
  }
  if (points.back().second != 0) {  // the curve ends at 0, and so does its picture
    points.emplace_back(whole, static_cast<double>(levels.back().level));
  }
  return points;
}

}  // namespace stepscope
