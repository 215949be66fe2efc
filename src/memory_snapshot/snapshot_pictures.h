// Writes what pictures of a memory snapshot are drawn from: curves, and the blocks of segments.
#pragma once

#include <vector>

#include "ingest/snapshot/snapshot.h"
#include "memory_snapshot/curves.h"
#include "memory_snapshot/sites.h"
#include "stepscope/report.h"

namespace stepscope::memory {

// "category.KIND", "place.N", "place.other", "place.before" and "reserved": bytes by ns since the
// first event. All have the same moments; what is always 0 is left out.
std::vector<Series> CurveSeries(const Curves& curves, const Sites& sites);

// One row for each block at the end, of all segments by index; neighbors in one state are one row
// where there are more blocks than a picture shows. `left_out`: segments that are not in it.
Table BlocksTable(const MemorySnapshot& snapshot, const Sites& sites, int64_t& left_out);

}  // namespace stepscope::memory
