// Tells which gaps in the work of a partial are due to its host.
#pragma once

#include "facts/paths/dependencies.h"

namespace stepscope {

// Of a partial, whose host has no moments: gaps before work, the longest first, become time of the
// host (Bound::kCpu), as far as the recording said that the device had to wait for launches in that
// step; the shortest of the others become pauses between kernels (Reason::kPauses), as far as it
// had such. What else is idle stays unexplained.
void ExplainGaps(const RankActivity& rank, Dependencies& graph);

}  // namespace stepscope
