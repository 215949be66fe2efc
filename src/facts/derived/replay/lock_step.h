// Ranks that are paced by their device: the host launches each kernel just before the device is
// free for it, so that what the host does between launches is not known to take time.
#pragma once

#include "facts/paths/dependencies.h"

namespace stepscope {

// Whether most kernels are launched while the device is busy, and start right after that.
bool InLockStep(const RankActivity& rank);

// Makes the device decide when work starts, where the host launches it just before: an edge from
// its launch becomes one from the last work of another stream to end before, if that is no longer
// ago than hardware takes from one kernel to the next. The host's own time is left out.
void TakeHostOut(const RankActivity& rank, Dependencies& graph);

}  // namespace stepscope
