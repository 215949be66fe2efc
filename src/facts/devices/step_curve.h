// Holds a quantity that changes in steps, such as a queue length or a bandwidth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope {

// Collects intervals, each of which adds an amount while it lasts. Amounts are whole numbers, so
// that the curve comes back to exactly 0.
class StepCurve {
 public:
  struct Point {
    int64_t time = 0;   // ns
    int64_t level = 0;  // from this time on
  };

  // Room for so many intervals.
  void Reserve(size_t intervals) { changes_.reserve(2 * intervals); }

  // REQUIRES: from <= to. An interval without length adds nothing.
  void Add(int64_t from, int64_t to, int64_t amount = 1) {
    if (from == to) return;
    changes_.push_back({from, amount});
    changes_.push_back({to, -amount});
  }

  // The curve: one point for each time it changes, ascending; the last has level 0.
  // To be called once.
  std::vector<Point> Levels();

 private:
  std::vector<Point> changes_;  // level: by how much it changes
};

struct CurveStatistics {
  double mean = 0;  // over time, from the first change to the last
  int64_t max = 0;
  int64_t time_at_limit = 0;  // ns at or above the limit
  int64_t time_above_zero = 0;
  double mean_above_zero = 0;  // over that time
};
CurveStatistics Measure(const std::vector<StepCurve::Point>& levels, int64_t limit);

// The curve with at most about `most` points (from 2 to 100,000), for drawing: of each of equal
// stretches of time the highest level, times from the curve's beginning. Peaks stay, what is
// between them may not.
std::vector<std::pair<double, double>> Thin(const std::vector<StepCurve::Point>& levels,
                                            int64_t most);

}  // namespace stepscope
