// Walks back over the deciding edges.
#include "facts/paths/critical_path.h"

#include <algorithm>

namespace stepscope {
namespace {

// Whether a segment goes on with what the one before it was: the host in one operator, which the
// begin and end of its children and calls cut into pieces, or loading data in whatever operator.
bool GoesOn(const Segment& before, const Edge& edge) {
  const Edge& old = before.edge;
  return old.activity == kNowhere && edge.activity == kNowhere && old.bound == edge.bound &&
         old.name == edge.name && old.thread == edge.thread &&
         (old.range == edge.range || edge.bound == Bound::kDataLoading);
}

}  // namespace

CriticalPath FindCriticalPath(const Dependencies& dependencies) {
  CriticalPath path;
  auto moment = static_cast<uint32_t>(dependencies.times.size() - 1);
  while (moment != 0) {
    const Edge& edge = dependencies.EdgesOf(moment).front();
    const int64_t start = dependencies.times[edge.from], end = dependencies.times[moment];
    moment = edge.from;
    if (start == end) continue;
    path.time[static_cast<size_t>(edge.bound)] += end - start;
    if (!path.segments.empty() && GoesOn(path.segments.back(), edge)) {
      path.segments.back().start = start;
    } else {
      path.segments.push_back({start, end, edge});
    }
  }
  std::ranges::reverse(path.segments);
  return path;
}

}  // namespace stepscope
