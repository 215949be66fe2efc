// What could make a rank late: its time of each kind, to compare with that of the other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Of one rank, all recordings and devices together, in the selected steps.
struct RankEffort {
  int64_t steps = 0;      // with work in them; 0: it has no steps
  int64_t kernels = 0;    // compute kernels
  int64_t compute = 0;    // ns, union
  int64_t copies = 0;     // ns of copies and sets, union
  int64_t host_late = 0;  // ns during which nothing ran, until a launch that came too late
  int64_t input = 0;      // ns on the host in ranges of a data loader
};

// In the order of facts.collectives.ranks.
std::vector<RankEffort> MeasureEfforts(const Facts& facts);

}  // namespace stepscope
