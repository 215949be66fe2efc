// Converts times from one clock to another.
#include "facts/collectives/clock.h"

#include <cmath>

namespace stepscope {

int64_t Drifted(double drift, int64_t time, int64_t origin) {
  // No overflow: drift is small, and Apart() bounded.
  return drift == 0 ? 0 : std::llround(drift * static_cast<double>(Apart(time, origin)));
}

int64_t Clock::Aligned(int64_t time) const {
  const int64_t moved = Apart(time, offset);
  // `drift` is for every ns of the reference, of which this clock counts 1 + drift.
  return Apart(moved, Drifted(drift / (1 + drift), moved, origin));
}

}  // namespace stepscope
