// Statistics of the gaps of each stream, a part of the idle time breakdown.
#pragma once

#include <cstdint>

#include "facts/devices/stream_idle.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::idle_time {

Table IntervalsTable();

// A row for each cause that has gaps. Reorders them.
void AddIntervals(Table& table, const DeviceFacts& device, int64_t stream, StreamGaps& gaps);

}  // namespace stepscope::idle_time
