// Finds likely causes of lateness: what a rank spends more time on than the other ranks.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Of one participant, all its recordings together, in the selected steps: of a rank with all its
// devices, or of one device.
struct RankEffort {
  int64_t steps = 0;      // with activities in them; 0: it has no steps
  int64_t kernels = 0;    // compute kernels
  int64_t compute = 0;    // ns, union
  int64_t copies = 0;     // ns of memcpy and memset, union
  int64_t host_late = 0;  // ns during which nothing ran, until a launch that came too late
  int64_t input = 0;      // ns on the host in ranges of a data loader
  int64_t transfer = 0;   // ns in collectives, waiting not counted
  int64_t own = 0;        // ns of span without exposed communication
  int64_t exposed = 0;    // ns of exposed communication
};

// In the order of facts.collectives.ranks. `steps`: only what belongs to these; null: everything.
std::vector<RankEffort> MeasureEfforts(const Facts& facts,
                                       const std::set<int64_t>* steps = nullptr);

// How much each rank spends beyond the median of the others, the mean of the middle two of an even
// number, per step, times its own steps. Values can be negative. REQUIRES: at least two.
std::vector<RankEffort> BeyondOthers(const std::vector<RankEffort>& efforts);

struct Efforts {
  std::vector<RankEffort> own, beyond;  // `beyond` is empty of fewer than two ranks
};
// Of everything; measured once.
const Efforts& EffortsOf(const Facts& facts);

}  // namespace stepscope
