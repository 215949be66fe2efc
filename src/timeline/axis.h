// Puts all traces on one time axis; each keeps the times of its own clock.
#pragma once

#include <cstdint>

#include "facts/collectives/clocks.h"

namespace stepscope {

// Times on the axis stay well below this.
inline constexpr int64_t kAxisEnd = int64_t{1} << 53;

class Axis {
 public:
  Axis() = default;
  // Of a recording with this clock, on an axis whose 0 is `zero` of the common one.
  Axis(const Clock& clock, int64_t zero) : clock_(clock), zero_(zero) {}

  // Never descends. REQUIRES: `own` within +-2^62, and the recording's own.
  int64_t ToCommon(int64_t own) const { return (clock_.known ? clock_.Aligned(own) : own) - zero_; }
  // The earliest own time that is at `common` on the axis, or later.
  int64_t ToOwn(int64_t common) const;

 private:
  Clock clock_;
  int64_t zero_ = 0;
};

}  // namespace stepscope
