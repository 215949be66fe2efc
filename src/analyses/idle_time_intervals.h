// Statistics of the gaps of each stream, a part of the idle time breakdown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::idle_time {

// Why a stream was idle before an activity.
enum class GapCause : uint8_t { kHostWait, kKernelWait, kOther };
inline constexpr size_t kGapCauses = 3;

// ns of the gaps of one stream, by GapCause.
using Gaps = std::array<std::vector<int64_t>, kGapCauses>;

Table IntervalsTable();

// A row for each cause that has gaps. Reorders them.
void AddIntervals(Table& table, const DeviceFacts& device, int64_t stream, Gaps& gaps);

}  // namespace stepscope::idle_time
