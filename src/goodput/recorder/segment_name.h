// Provides the clocks, timestamps and random numbers that make segment names unique. Part of the
// recorder's library, which links nothing else.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::goodput {

// The clocks of events, in ns.
int64_t WallClock();
int64_t MonotonicClock();

// A random number that identifies this process; process ids repeat in containers. Never blocks.
uint32_t RandomNumber();

// The current time as "20260131T235959Z". Names that begin with it sort by creation time.
std::string NowInName();

// A prefix of segment names, unique to this process: "20260131T235959Z-77-1a2b3c4d-".
std::string SegmentPrefix(uint32_t random);

// The name of a segment: prefix + "000001.goodput".
std::string SegmentName(const std::string& prefix, uint32_t index);

}  // namespace stepscope::goodput
