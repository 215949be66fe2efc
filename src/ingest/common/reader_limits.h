// Defines the largest times and traces that readers accept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

// Times (ns) beyond 73 years either way are no times; within, no sum or difference of two
// overflows.
inline constexpr int64_t kMaxTime = int64_t{1} << 61;
constexpr bool IsTime(int64_t time) { return time >= -kMaxTime && time <= kMaxTime; }

inline constexpr size_t kMostEvents = UINT32_MAX - 1;  // of a trace

}  // namespace stepscope
