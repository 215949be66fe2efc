// Words how long ranks wait together for ranks without a trace.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds a finding where that is worth saying; returns ns that each of them waits, 0 without a
// finding.
int64_t AddWaitForAbsent(Report& report, const Facts& facts, int64_t span);

}  // namespace stepscope
