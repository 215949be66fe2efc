// Writes tables of steps, leaks, and of what the host ran as it allocated.
#pragma once

#include "ingest/snapshot/snapshot.h"
#include "memory_snapshot/host_trace.h"
#include "memory_snapshot/steps.h"
#include "stepscope/report.h"

namespace stepscope::memory {

Table StepsTable(const StepGrowth& growth);
Table LeaksTable(const MemorySnapshot& snapshot, const Sites& sites, const StepGrowth& growth);
// `key`: "trace_operators" or "trace_modules"; `named`: the key column.
Table JoinedTable(const HostTrace& trace, const std::vector<Joined>& joined, const Replay& replay,
                  bool modules);

}  // namespace stepscope::memory
