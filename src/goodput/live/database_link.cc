// Keeps the latest of what each side said.
#include "goodput/live/database_link.h"

#include <utility>

namespace stepscope::goodput {

void DatabaseLink::SetNumbers(Numbers numbers) {
  const std::lock_guard lock(mutex_);
  numbers_ = std::move(numbers);
  set_.notify_all();
}

void DatabaseLink::TookAll(int64_t stored) {
  const std::lock_guard lock(mutex_);
  taken_ = stored;
  took_ = MonotonicClock();
  confirmed_ = WallClock();
}

std::optional<DatabaseLink::Numbers> DatabaseLink::WaitForNumbers(
    std::chrono::nanoseconds patience) {
  std::unique_lock lock(mutex_);
  set_.wait_for(lock, patience, [this] { return numbers_.has_value(); });
  return numbers_;
}

DatabaseState DatabaseLink::State() {
  const std::lock_guard lock(mutex_);
  return {.confirmed = confirmed_, .lag = MonotonicClock() - took_, .events = stored() - taken_};
}

}  // namespace stepscope::goodput
