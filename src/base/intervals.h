// Computes unions, intersections and sums of sets of intervals.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stepscope {

struct Interval {
  int64_t start = 0;  // ns
  int64_t end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Sorted, none empty, none touching the next.
using IntervalSet = std::vector<Interval>;

inline IntervalSet UnionOf(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::start);
  IntervalSet set;
  for (const Interval& i : intervals) {
    if (i.end <= i.start) continue;
    if (!set.empty() && i.start <= set.back().end)
      set.back().end = std::max(set.back().end, i.end);
    else
      set.push_back(i);
  }
  return set;
}

inline IntervalSet Intersection(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet both;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Interval common{std::max(a[i].start, b[k].start), std::min(a[i].end, b[k].end)};
    if (common.start < common.end) both.push_back(common);
    a[i].end < b[k].end ? ++i : ++k;
  }
  return both;
}

inline int64_t LengthOf(const IntervalSet& set) {
  int64_t sum = 0;
  for (const Interval& i : set) sum += i.end - i.start;
  return sum;
}

}  // namespace stepscope
