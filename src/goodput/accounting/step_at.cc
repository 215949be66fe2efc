// Finds the step of a moment.
#include <algorithm>

#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {
namespace {

// The last step that began by then; steps and their times ascend. REQUIRES: the first one had
// begun.
int64_t LastBegun(const StepTimes& steps, int64_t time) {
  int64_t low = steps.first().step, high = steps.last().step;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const auto next = steps.Around(middle).after;
    if (next && next->time <= time) {
      low = next->step;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

std::optional<Accounting::StepPlace> Accounting::StepAt(int64_t time) const {
  const std::vector<JointAttempt>& attempts = LinedUp().attempts;
  const auto next = std::ranges::upper_bound(attempts, time, {}, &JointAttempt::start);
  if (next == attempts.begin()) return std::nullopt;
  const JointAttempt& attempt = *std::prev(next);
  const int64_t last = std::max(attempt.last, attempt.end.value_or(attempt.last));
  const bool over = next != attempts.end() && time > last;
  if (attempt.steps().empty() || time < attempt.steps().first().time || over) return std::nullopt;
  const auto index = static_cast<size_t>(next - attempts.begin()) - 1;
  return StepPlace{index, LastBegun(attempt.steps(), time)};
}

}  // namespace stepscope::goodput
