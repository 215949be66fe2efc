// Finds the ranks where lateness began, and what each costs the job.
//
// A rank is suspected if what it does itself takes longer than on its peers, far beyond how that
// varies, or, where no rank has the same work, longer than in its own earlier steps. What that
// costs is a replay in which its units take what they should: the excess of a rank that waits
// anyway costs nothing. Of several, the one that costs most is taken out first, and the rest is
// asked again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/replay/job_replay.h"
#include "facts/derived/replay/own_work.h"

namespace stepscope {

struct Origin {
  uint32_t rank = 0;                  // index into JobGraph::ranks
  std::optional<int64_t> since;       // number of the step; absent: in all, or at no clear step
  bool as_before = false;             // it is compared with its earlier steps, not with other ranks
  std::vector<int64_t> saved;         // of each of JobGraph::steps, ns; with those before taken out
  int64_t excess = 0;                 // ns per step since then
  int64_t of_devices = 0;             // of it: kernels and copies
  UnitKind kind = UnitKind::kDevice;  // of the units with most of it
  StringId name = kNoString;          // kNoString: nothing takes longer
  // 3 % of a step at the median since then, three standard errors of that, and something in three
  // of four steps.
  bool costs = false;
};

struct Origins {
  std::vector<int64_t> recorded;  // of each of JobGraph::steps, how long it takes
  std::vector<Origin> found;      // the most costly first
};

const Origins& OriginsOf(const Facts& facts);

}  // namespace stepscope
