// Finds the moment from which the times of a trace count.
#pragma once

#include <cstdint>
#include <string>

#include "ingest/places.h"

namespace stepscope {

// ns since 1970, in 2001: hosts' clocks are beyond it, and what counts from the start of a machine
// or a recording is not.
inline constexpr int64_t kEarliestOnClock = int64_t{1'000'000'000} * 1'000'000'000;

// ns that added to a time of the trace give ns since 1970. 0 where the file does not say: times of
// such traces count from 1970 already, or from an unknown moment. Reads the file up to there.
int64_t ClockBaseOf(const std::string& path, const Places& places = Places());

}  // namespace stepscope
