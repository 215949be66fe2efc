// Writes the answer about a memory snapshot.
#pragma once

#include <vector>

#include "ingest/snapshot/snapshot.h"
#include "memory_snapshot/host_trace.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"
#include "stepscope/report.h"

namespace stepscope::memory {

// What is in a report beside what the snapshot tells alone.
struct ReportParts {
  bool pictures = false;             // series, and the table "blocks"
  const HostTrace* trace = nullptr;  // of the same process
};

// That where an allocation failed, else that with the highest peak. REQUIRES: there is one.
const Replay& LeadingOf(const std::vector<Replay>& replays);

// The report "memory_snapshot", of the leading device; the table "devices" has all.
Report SnapshotReport(const MemorySnapshot& snapshot, const std::vector<Replay>& replays,
                      const ReportParts& parts = {});

}  // namespace stepscope::memory
