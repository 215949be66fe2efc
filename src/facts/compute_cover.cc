// Merges compute kernels into stretches, with sums to look up.
#include "facts/compute_cover.h"

#include <algorithm>

namespace stepscope {

ComputeCover::ComputeCover(const RankWork& rank, uint32_t device_index) {
  for (const Work& work : rank.work) {
    if (work.kind != Kind::kCompute || work.start == work.end) continue;
    if (rank.streams[work.stream].device_index != device_index) continue;
    if (stretches_.empty() || work.start > stretches_.back().end) {
      stretches_.push_back({work.start, work.end, 0});
    } else {
      stretches_.back().end = std::max(stretches_.back().end, work.end);
    }
  }
  for (size_t i = 1; i < stretches_.size(); ++i) {
    const Stretch& last = stretches_[i - 1];
    stretches_[i].before = last.before + (last.end - last.start);
  }
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
