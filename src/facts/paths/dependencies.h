// Builds the graph of what had to end before what could begin.
#pragma once

#include "facts/paths/dependency_graph.h"

namespace stepscope {

// The dependencies of `rank` within `window`. `names` are those of the recording.
Dependencies BuildDependencies(const RankActivity& rank, const StringTable& names,
                               const PathWindow& window);

}  // namespace stepscope
