// Finds the step of a time.
#include "facts/activity/rank_activity.h"

#include <algorithm>

namespace stepscope {

int32_t RankActivity::StepAt(int64_t time) const {
  const auto after = std::ranges::upper_bound(steps, time, {}, &Step::start);
  for (auto step = after; step != steps.begin();) {
    --step;
    if (time < step->end) return static_cast<int32_t>(step - steps.begin());
    if (after - step >= 2) break;  // annotations follow one another: no need to look further back
  }
  return kNoStep;
}

}  // namespace stepscope
