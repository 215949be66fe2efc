// Derives training phases from the names of ranges.
#include "facts/activity/range_phases.h"

#include <algorithm>

namespace stepscope {

RangePhases::RangePhases(const StringTable& names, const RankActivity& rank)
    : rank_(rank),
      by_name_(names.size(), kUnknown),
      first_backward_(rank.steps.size(), INT64_MAX),
      autograd_only_(rank.host->threads.size()) {
  const auto& ranges = rank.host->ranges;
  told_.reserve(ranges.size());
  for (const HostRange& range : ranges) {
    const Phase above =
        range.parent == kNoRange ? Phase::kOther : told_[static_cast<size_t>(range.parent)];
    told_.push_back(above == Phase::kOther ? Named(names, range.name) : above);
    if (told_.back() != Phase::kBackward) continue;
    has_backward_ = true;
    if (names[range.name].starts_with("autograd::engine")) autograd_only_[range.thread] = true;
    const int32_t step = rank.StepAt(range.start);
    if (step == kNoStep) continue;
    int64_t& first = first_backward_[static_cast<size_t>(step)];
    first = std::min(first, range.start);
  }
  for (const HostRange& range : ranges) {  // a thread that also steps or loads is the main one
    if (StepNumber(names[range.name]) >= 0) autograd_only_[range.thread] = false;
  }
}

Phase RangePhases::At(int32_t range, uint32_t thread, int64_t time) const {
  const Phase told = range == kNoRange ? Phase::kOther : told_[static_cast<size_t>(range)];
  if (told != Phase::kOther) return told;
  if (autograd_only_[thread]) return Phase::kBackward;
  const int32_t step = rank_.StepAt(time);
  if (step == kNoStep) return Phase::kOther;
  return time < first_backward_[static_cast<size_t>(step)] ? Phase::kForward : Phase::kOther;
}

Phase RangePhases::Named(const StringTable& names, StringId name) {
  int8_t& known = by_name_[name];
  if (known == kUnknown) known = static_cast<int8_t>(PhaseOfName(names[name]));
  return static_cast<Phase>(known);
}

}  // namespace stepscope
