// Merges work into stretches, with sums to look up.
#include "facts/compute_cover.h"

#include <algorithm>

namespace stepscope {

std::vector<ComputeCover> ComputeCover::Of(const RankWork& rank, KindSet kinds) {
  std::vector<ComputeCover> covers(rank.devices.size());
  for (const Work& work : rank.work) {
    if (!kinds.Has(work.kind) || work.start == work.end) continue;
    auto& stretches = covers[rank.streams[work.stream].device_index].stretches_;
    if (stretches.empty()) {
      stretches.push_back({work.start, work.end, 0});
    } else if (Stretch& last = stretches.back(); work.start <= last.end) {
      last.end = std::max(last.end, work.end);
    } else {
      stretches.push_back({work.start, work.end, last.before + (last.end - last.start)});
    }
  }
  return covers;
}

int64_t ComputeCover::Before(int64_t time) const {
  const auto after = std::ranges::upper_bound(stretches_, time, {}, &Stretch::start);
  if (after == stretches_.begin()) return 0;
  const Stretch& stretch = *std::prev(after);
  return stretch.before + std::min(time, stretch.end) - stretch.start;
}

int64_t ComputeCover::Within(int64_t start, int64_t end) const {
  return end <= start ? 0 : Before(end) - Before(start);
}

}  // namespace stepscope
