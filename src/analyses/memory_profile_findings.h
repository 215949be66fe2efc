// Adds the findings of peak memory, and says what its headline shares with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts/derived/memory/memory_peaks.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::memory_profile {

inline constexpr double kNearlyFull = 0.9;    // of capacity, as in PyTorch's TensorBoard plugin
inline constexpr int64_t kStepsThatGrow = 3;  // consecutive

// "rank 0 device 1".
Phrase Where(const MemoryPeak& p);

// "48.6 GB".
std::string Human(int64_t bytes);

// The operation that holds the most: ", 80.0% aten::mm".
Phrase MostlyFor(const MemoryHoldings& holdings, int64_t whole);

// One where a device is nearly full.
void AddFullFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks);

// Returns whether there is a leak.
bool AddLeakFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks,
                    int64_t leak_bytes);

// The device with the least headroom decides. A larger batch is useful where devices idle between
// activities.
void AddBatchFinding(Report& report, const Facts& facts, const std::vector<MemoryPeak>& peaks);

}  // namespace stepscope::memory_profile
