// How the clocks of ranks differ, found from what they do together.
//
// All ranks leave a synchronising collective at the same moment, but for the latency of a hop. So
// two ranks' ends of their common collectives differ by the offset of their clocks. The median over
// many collectives is that offset, and what they scatter around it is the error bar.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope {

struct CollectiveFacts;

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

// The clock of each rank in `facts.ranks`, from `facts.matches`. Ranks that nothing joins stay
// unknown. Linear but for sorting the pairs of ranks.
std::vector<Clock> AlignClocks(const CollectiveFacts& facts);

}  // namespace stepscope
