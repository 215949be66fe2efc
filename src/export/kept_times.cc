// Merges and searches intervals of time.
#include "export/kept_times.h"

#include <algorithm>

namespace stepscope {

KeptTimes KeptTimes::Of(const RankActivity& rank, const StepSelection& selection) {
  KeptTimes kept;
  kept.all_ = selection.mode == StepSelection::Mode::kAll;
  if (kept.all_) return kept;
  std::vector<Stretch> work_of(rank.steps.size(), {INT64_MAX, INT64_MIN});
  for (const Activity& activity : rank.activities) {
    if (activity.step == kNoStep) continue;
    Stretch& stretch = work_of[static_cast<size_t>(activity.step)];
    stretch.start = std::min(stretch.start, activity.start);
    stretch.end = std::max(stretch.end, activity.end);
  }
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    if (!selection.Has(rank.steps[s])) continue;
    kept.host_.push_back({rank.steps[s].start, rank.steps[s].end});
    if (work_of[s].start <= work_of[s].end) kept.device_.push_back(work_of[s]);
  }
  Merge(kept.host_);
  Merge(kept.device_);
  return kept;
}

void KeptTimes::Merge(std::vector<Stretch>& stretches) {
  std::ranges::sort(stretches, {}, &Stretch::start);
  std::vector<Stretch> merged;
  for (const Stretch& s : stretches) {
    if (merged.empty() || s.start > merged.back().end) merged.push_back(s);
    merged.back().end = std::max(merged.back().end, s.end);
  }
  stretches = std::move(merged);
}

// What only touches a stretch's end belongs to what comes after it.
bool KeptTimes::Meets(const std::vector<Stretch>& stretches, int64_t start, int64_t end) {
  const auto after = std::ranges::upper_bound(stretches, start, {}, &Stretch::end);
  return after != stretches.end() && (after->start < end || after->start <= start);
}

bool KeptTimes::Has(Kind kind, int64_t start, int64_t duration) const {
  if (all_) return true;
  const int64_t end = start + duration;
  if (kind == Kind::kFlow) return Meets(host_, start, end) || Meets(device_, start, end);
  const bool on_device = IsDeviceActivity(kind) || kind == Kind::kSync ||
                         kind == Kind::kGpuAnnotation || kind == Kind::kCounterRange;
  return Meets(on_device ? device_ : host_, start, end);
}

}  // namespace stepscope
