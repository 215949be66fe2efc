// Estimates clock offsets and clock uncertainty of ranks from their common collectives.
//
// All ranks leave a synchronizing collective at the same moment, but for the latency of a hop. So
// two ranks' ends of their common collectives differ by the offset of their clocks. The median over
// many collectives is that offset, and what they scatter around it is the error bar. Devices of one
// rank are on one clock: their offset is 0, and how far their ends lie apart is the error bar.
// So are ranks whose machines have one name, unless their ends say otherwise, by four times what
// they scatter: else the two that lie closest are the error bar. Threads that
// communicate may leave a collective milliseconds apart, and the clock is the same.
#pragma once

#include <vector>

#include "facts/collectives/collective_facts.h"

namespace stepscope {

// The clock of each rank in `facts.ranks`, from `facts.matches`. Ranks that nothing joins stay
// unknown. Linear but for sorting the pairs of ranks.
std::vector<Clock> AlignClocks(const CollectiveFacts& facts);

}  // namespace stepscope
