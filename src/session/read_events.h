// Reads the files of a rank once more, and keeps every event.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "session/load.h"
#include "stepscope/events.h"

namespace stepscope {

// Ascending.
std::vector<int64_t> RecordedRanksOf(const LoadedRun& run);

// Session::ReadEvents() of this run. Steps are those of the run.
Result<EventTable> ReadEventsOf(const LoadedRun& run, int64_t rank, int threads,
                                std::stop_token stop);

}  // namespace stepscope
