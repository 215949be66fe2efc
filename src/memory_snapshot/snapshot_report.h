// Writes the answer about a memory snapshot.
#pragma once

#include <vector>

#include "ingest/snapshot/snapshot.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"
#include "stepscope/report.h"

namespace stepscope::memory {

// The report "memory_snapshot", of the device with the highest peak; the table "devices" has all.
Report SnapshotReport(const MemorySnapshot& snapshot, const std::vector<Replay>& replays);

}  // namespace stepscope::memory
