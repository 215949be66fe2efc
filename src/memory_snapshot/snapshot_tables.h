// Writes the tables of a memory snapshot.
#pragma once

#include <span>
#include <vector>

#include "ingest/snapshot/snapshot.h"
#include "memory_snapshot/holders.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"
#include "stepscope/report.h"

namespace stepscope::memory {

inline constexpr size_t kMostRows = 2000;
inline constexpr size_t kRowsShown = 10;

Table StacksTable(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay);
Table OperatorsTable(const Sites& sites, const Replay& replay);
Table CategoriesTable(const Sites& sites, const Replay& replay);
Table SegmentsTable(const MemorySnapshot& snapshot);
Table DevicesTable(std::span<const Replay> replays);
Table OutOfMemoryTable(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay);
Table GrowthTable(const MemorySnapshot& snapshot, const Sites& sites,
                  std::span<const Growing> growing);

// "not recorded" where there is none.
std::string SiteText(const Sites& sites, StringId site);

// A time of a snapshot, in microseconds, as a cell in ns; blank where there is none.
Cell Moment(int64_t microseconds);

}  // namespace stepscope::memory
