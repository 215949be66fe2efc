// Rounds doubles inline, for code that reads millions of times.
#pragma once

#include <cmath>
#include <cstdint>

namespace stepscope::goodput {

// As std::llround: to the nearest, halves away from zero. REQUIRES: the result fits.
inline int64_t RoundToInteger(double value) {
  if (!(value > -0x1p52 && value < 0x1p52)) return std::llround(value);
  const auto cut = static_cast<int64_t>(value);
  const double rest = value - static_cast<double>(cut);  // exact, and of the value's sign
  return cut + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace stepscope::goodput
