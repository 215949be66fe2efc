// Says what partials cannot be asked, or be beside.
#pragma once

#include <span>
#include <vector>

#include "session/load_file.h"

namespace stepscope {

bool HasPartials(std::span<const RankActivity> ranks);

// Fails where these are partials: these have no events to hand out, show or write again.
Result<void> CheckHasEvents(std::span<const RankActivity> ranks);

// Fails where a rank has a trace and a partial, or two partials of different numbers of shards: it
// would count twice, or be of two jobs. `files`: without duplicates.
Result<void> CheckNotBoth(const std::vector<LoadedFile>& files);

}  // namespace stepscope
