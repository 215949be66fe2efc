// Searches steps by time.
#include "events/steps_at.h"

#include <algorithm>
#include <utility>

namespace stepscope {

StepsAt::StepsAt(std::vector<EventStep> steps) : steps_(std::move(steps)) {
  for (const EventStep& step : steps_) numbers_.push_back(step.number);
  std::ranges::sort(numbers_);
}

std::optional<int64_t> StepsAt::At(int64_t time) const {
  const auto after = std::ranges::upper_bound(steps_, time, {}, &EventStep::start);
  // Steps follow one another: there is no need to look further back than the one before.
  for (auto step = after; step != steps_.begin() && after - step < 2;) {
    --step;
    if (time < step->end) return step->number;
  }
  return std::nullopt;
}

bool StepsAt::Has(int64_t number) const { return std::ranges::binary_search(numbers_, number); }

}  // namespace stepscope
