// What segments are named by, and what makes them this process's own: the clocks, the time as a
// text that sorts, and chance. Part of the recorder's library, which links nothing else.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::goodput {

// The clocks of events, in ns.
int64_t WallClock();
int64_t MonotonicClock();

// A number that no other process has, but by chance: in a container all have the same id. Never
// waits.
uint32_t RandomNumber();

// "20260131T235959Z": now. Names that begin with it sort by when they were made.
std::string NowInName();

// "20260131T235959Z-77-1a2b3c4d-": begins names of segments that no other process has.
std::string SegmentPrefix(uint32_t random);

// The name of a prefix's segment: "...-000001.goodput".
std::string SegmentName(const std::string& prefix, uint32_t index);

}  // namespace stepscope::goodput
