// Adds and subtracts int64 with saturation instead of overflow: input decides the operands.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace stepscope {

inline int64_t AddSaturated(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

// Fits into an int64, and so do doubles below it.
inline constexpr double kMostInt64 = 9e18;

// Rounded towards 0. `value` is a number.
inline int64_t ToInt64(double value) {
  return static_cast<int64_t>(value < -kMostInt64  ? -kMostInt64
                              : value > kMostInt64 ? kMostInt64
                                                   : value);
}
// To the nearest, halves away from zero.
inline int64_t RoundToInt64(double value) { return ToInt64(std::round(value)); }

inline int64_t SubtractSaturated(int64_t a, int64_t b) {
  int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace stepscope
