// Compares the job's first attempt with the scheduler's first event.
#include "goodput/report/scheduler_coverage.h"

#include <algorithm>

#include "base/time_units.h"

namespace stepscope::goodput {

int64_t BeforeScheduler(const Partition& partition, const Scheduling& scheduling) {
  const auto first = scheduling.first();
  if (!first || partition.attempts.empty()) return 0;
  const int64_t start = std::max(partition.start, partition.attempts.front().start);
  const int64_t before = std::min(*first, partition.end) - start;
  return before > std::max(kMinute, partition.total() / 100) ? before : 0;
}

}  // namespace stepscope::goodput
