// Host waits for idle devices, a part of the idle time breakdown.
#pragma once

#include <cstdint>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::idle_time {

inline constexpr double kMinShare = 0.05;  // of the span

// ns of the waits of at least so many ns: a finding of its own. REQUIRES: as AddIdleWaits().
int64_t IdleWaitsOf(const RankActivity& rank, int64_t at_least);

// Adds the table `idle_waits` with the waits of at least so many ns, where there are any, and a
// finding where they are worth saying. REQUIRES: all activities of the recordings are there.
void AddIdleWaits(Report& report, const Facts& facts, int64_t at_least);

}  // namespace stepscope::idle_time
