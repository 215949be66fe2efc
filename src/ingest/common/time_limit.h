// Defines the largest time that readers accept.
#pragma once

#include <cstdint>

namespace stepscope {

// Times (ns) beyond 73 years either way are no times; within, no sum or difference of two
// overflows.
inline constexpr int64_t kMaxTime = int64_t{1} << 61;

}  // namespace stepscope
