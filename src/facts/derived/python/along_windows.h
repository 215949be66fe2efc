// Measures how much of an interval lies within windows, which are sorted and do not overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/intervals.h"

namespace stepscope {

// Follows the windows as time advances: for intervals that ascend and do not overlap.
class AlongWindows {
 public:
  // `windows` must outlive this.
  explicit AlongWindows(const IntervalSet& windows) : windows_(windows) {}
  explicit AlongWindows(IntervalSet&&) = delete;

  // ns of [start, end) in windows. REQUIRES: `start` ascends from call to call.
  int64_t Within(int64_t start, int64_t end) {
    while (next_ < windows_.size() && windows_[next_].end <= start) ++next_;
    int64_t time = 0;
    for (size_t w = next_; w < windows_.size() && windows_[w].start < end; ++w)
      time += std::min(end, windows_[w].end) - std::max(start, windows_[w].start);
    return time;
  }

 private:
  const IntervalSet& windows_;
  size_t next_ = 0;
};

// For intervals in any order, each by search.
class AnywhereInWindows {
 public:
  // `windows` must outlive this.
  explicit AnywhereInWindows(const IntervalSet& windows) : windows_(windows) {
    int64_t sum = 0;
    for (const Interval& w : windows) {
      before_.push_back(sum);
      sum += w.end - w.start;
    }
  }
  explicit AnywhereInWindows(IntervalSet&&) = delete;

  int64_t Within(int64_t start, int64_t end) const { return Before(end) - Before(start); }
  bool Holds(int64_t time) const { return Before(time + 1) > Before(time); }

 private:
  int64_t Before(int64_t time) const {
    const auto next = std::ranges::upper_bound(windows_, time, {}, &Interval::start);
    if (next == windows_.begin()) return 0;
    const auto at = static_cast<size_t>(next - windows_.begin()) - 1;
    return before_[at] + std::min(time, windows_[at].end) - windows_[at].start;
  }

  const IntervalSet& windows_;
  std::vector<int64_t> before_;  // ns of all windows before each
};

}  // namespace stepscope
