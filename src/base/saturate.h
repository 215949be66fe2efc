// Adds and subtracts int64 with saturation instead of overflow: input decides the operands.
#pragma once

#include <cstdint>
#include <limits>

namespace stepscope {

inline int64_t AddSaturated(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

// Rounded towards 0. `value` is a number.
inline int64_t ToInt64(double value) {
  constexpr double kMost = 9e18;
  return static_cast<int64_t>(value < -kMost ? -kMost : value > kMost ? kMost : value);
}

inline int64_t SubtractSaturated(int64_t a, int64_t b) {
  int64_t difference;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace stepscope
