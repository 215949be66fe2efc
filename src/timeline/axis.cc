// Converts times from the common axis to a trace's clock.
#include "timeline/axis.h"

#include <algorithm>
#include <cmath>

namespace stepscope {

int64_t Axis::ToOwn(int64_t common) const {
  const int64_t reference = std::clamp(common, -kAxisEnd, kAxisEnd) + zero_;
  if (!clock_.known) return reference;
  int64_t own = reference + clock_.offset;
  if (clock_.drift == 0) return own;
  own += std::llround(clock_.drift * static_cast<double>(reference - clock_.origin));
  // Rounding leaves it a few ns off at most.
  constexpr int kMostSteps = 64;
  for (int i = 0; i < kMostSteps && ToCommon(own) >= common; ++i) --own;
  for (int i = 0; i < kMostSteps && ToCommon(own) < common; ++i) ++own;
  return own;
}

}  // namespace stepscope
