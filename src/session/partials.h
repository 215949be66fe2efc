// Says what partials cannot be asked, or be beside.
#pragma once

#include <span>
#include <vector>

#include "session/load_file.h"

namespace stepscope {

bool HasPartials(std::span<const RankActivity> ranks);

// Fails where these are partials: these have no events to hand out, show or write again.
Result<void> CheckHasEvents(std::span<const RankActivity> ranks);

// Fails where a rank has a trace and a partial: it would count twice.
Result<void> CheckNotBoth(const std::vector<LoadedFile>& files);

}  // namespace stepscope
