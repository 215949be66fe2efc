// Says which dumps prove that an operation was finished.
#pragma once

#include <cstdint>
#include <vector>

#include "hang/job.h"

namespace stepscope::hang {

struct Witnesses {
  std::vector<int64_t> ranks;
  bool saw = false;  // some recorded that they finished it; else they only wait in a later one
};

// Members whose dumps say that they finished the operation, and are whole and not damaged.
Witnesses WitnessesOf(const JobGroup& group, int64_t sequence, const Job& job);

// Whether these prove it against so many who did not finish it: one that says more than all others
// may be wrong itself.
bool Prove(const Witnesses& witnesses, size_t accused);

}  // namespace stepscope::hang
