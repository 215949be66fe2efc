// Finds the critical path of a window: from its end back to its start, at every moment over the
// dependency that ended last.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "facts/paths/dependencies.h"

namespace stepscope {

// A piece of the path. The segments of a path, in order, tile its window: each begins where the
// one before ended.
struct Segment {
  int64_t start = 0;  // ns
  int64_t end = 0;    // after start
  Edge edge;          // what the time is spent on

  int64_t duration() const { return end - start; }
};

struct CriticalPath {
  std::vector<Segment> segments;
  std::array<int64_t, static_cast<size_t>(Bound::kCount)>
      time{};  // of each Bound; adds up to Span()

  int64_t Time(Bound bound) const { return time[static_cast<size_t>(bound)]; }
  int64_t Span() const { return std::accumulate(time.begin(), time.end(), int64_t{0}); }
  // What something recorded explains.
  int64_t Explained() const { return Span() - Time(Bound::kNoRecord); }
};

CriticalPath FindCriticalPath(const Dependencies& dependencies);

}  // namespace stepscope
