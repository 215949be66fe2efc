// Says how much of a job its scheduler's events tell.
#pragma once

#include <cstdint>

#include "goodput/accounting/partition.h"
#include "goodput/accounting/scheduling.h"

namespace stepscope::goodput {

// ns of the job before the scheduler's first event, as of a log that is kept for an hour. 0: it
// knew the job from the start on, to a hundredth.
int64_t BeforeScheduler(const Partition& partition, const Scheduling& scheduling);

}  // namespace stepscope::goodput
