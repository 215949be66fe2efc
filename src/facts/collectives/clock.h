// Converts between the clock of one rank and the common clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stepscope {

// `a - b`, kept within +-2^61 so that differences of differences fit. REQUIRES: both within +-2^62.
inline int64_t Apart(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 61;
  return std::clamp(a - b, -kMost, kMost);
}

struct Clock {
  bool known = false;      // whether collectives join it to another rank's
  uint32_t reference = 0;  // index of the rank whose clock is the common one
  int64_t offset = 0;      // ns that this clock is ahead of the reference's, at time `origin`
  double drift = 0;        // by how much more for every ns after that; 0 where not estimated
  int64_t origin = 0;
  int64_t error = 0;  // ns: the error bar of times put on the reference's clock

  // `time` of this clock on the reference's, within +-2^61. REQUIRES: `time` within +-2^62.
  int64_t Aligned(int64_t time) const;
};

// ns that a clock gains from `origin` to `time` if it gains `drift` for every ns.
int64_t Drifted(double drift, int64_t time, int64_t origin);

}  // namespace stepscope
