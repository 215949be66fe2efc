// Finds the step of a moment.
#include <algorithm>

#include "goodput/accounting/accounting.h"

namespace stepscope::goodput {
std::optional<Accounting::StepPlace> Accounting::StepAt(int64_t time) const {
  const std::vector<JointAttempt>& attempts = LinedUp().attempts;
  const auto next = std::ranges::upper_bound(attempts, time, {}, &JointAttempt::start);
  if (next == attempts.begin()) return std::nullopt;
  const JointAttempt& attempt = *std::prev(next);
  const int64_t last = std::max(attempt.last, attempt.end.value_or(attempt.last));
  const bool over = next != attempts.end() && time > last;
  if (attempt.steps().empty() || time < attempt.steps().first().time || over) return std::nullopt;
  const auto index = static_cast<size_t>(next - attempts.begin()) - 1;
  return StepPlace{index, attempt.steps().LastBegun(time)};
}

}  // namespace stepscope::goodput
