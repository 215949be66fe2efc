// Makes a dump of the values of a Flight Recorder's file.
#pragma once

#include "ingest/flight/rank_dump.h"
#include "ingest/pickle/value_tree.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr size_t kMostPending = 20'000;  // unfinished operations kept of one dump
inline constexpr size_t kFinishedKept = 32;     // finished ones kept of each group

// Versions 2.4 to 2.10 and what is like them; keys of unknown names are passed over, values of
// wrong types are absent. Fails on what is not a Flight Recorder's dump. Sets no rank and no path.
Result<RankDump> ReadFlightDocument(const ValueTree& tree);

}  // namespace stepscope
