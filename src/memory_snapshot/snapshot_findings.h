// Says what in a memory snapshot is worth acting on.
#pragma once

#include <vector>

#include "memory_snapshot/holders.h"
#include "memory_snapshot/steps.h"
#include "stepscope/report.h"

namespace stepscope::memory {

// REQUIRES: an allocation failed.
Phrase SayFailure(const Replay& replay);

// A failed allocation and what holds most then, else fragmentation.
void AddFindings(const Replay& replay, const Sites& sites, Report& report);
// Places that grow in each eighth of a recording without steps.
void AddGrowing(const Sites& sites, const std::vector<Growing>& growing, Report& report);
// Places that grow with each step.
// `peak`: bytes.
void AddLeaks(const Sites& sites, const std::vector<Leak>& leaks, int64_t peak, Report& report);

}  // namespace stepscope::memory
