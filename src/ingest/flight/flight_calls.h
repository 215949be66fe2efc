// Keeps what a rank called, in order, in a few bytes per call.
#pragma once

#include <cstddef>

#include "ingest/flight/rank_dump.h"

namespace stepscope {

inline constexpr size_t kMostCalls = 4096;  // the last ones of a dump

// Sets `calls` and `kinds` from the operations, which must be all that the file has, by record.
void KeepCalls(RankDump& dump);

}  // namespace stepscope
