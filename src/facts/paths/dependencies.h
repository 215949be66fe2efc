// Builds the graph of what had to end before what could begin.
#pragma once

#include <string_view>

#include "facts/paths/dependency_graph.h"

namespace stepscope {

// Kinds that tell dependencies.
inline constexpr KindSet kDependencyNeeds =
    kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync, Kind::kPythonWait};

// The dependencies of `rank` within `window`. `names` are those of the recording.
Dependencies BuildDependencies(const RankActivity& rank, const StringTable& names,
                               const PathWindow& window);

// Whether an operator of a host may wait for a collective: those of tensor libraries compute;
// others run operators or Python, as "Optimizer.step#SGD.step" or a function that a user wrote.
bool MayWait(std::string_view operator_name);

}  // namespace stepscope
