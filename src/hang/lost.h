// Tells which ranks without a dump stopped a job, where others are found to have stopped it too.
#pragma once

#include <vector>

#include "hang/job.h"
#include "hang/waits.h"

namespace stepscope::hang {

// The waits for one rank without a dump that cannot wait for anybody itself: in each of its groups
// all others came as far as it can have come. That is told of those that wait for it, as ranks of
// one group call the same in the same order.
std::vector<const Wait*> WaitsForLost(const Job& job, const Waits& waits);

// Members without a dump of the rank's last operation, which may have ended with an error because
// of them: of gloo it does, where one dies. Empty where another member went on after it.
std::vector<int64_t> MayHaveFailed(const Job& job, int64_t rank);

}  // namespace stepscope::hang
