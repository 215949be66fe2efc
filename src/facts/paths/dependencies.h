// Builds the graph of what had to end before what could begin.
#pragma once

#include <string_view>

#include "facts/paths/dependency_graph.h"

namespace stepscope {

// Kinds that tell dependencies.
inline constexpr KindSet kDependencyNeeds =
    kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync, Kind::kPythonWait};

// The record of a collective or message may end so much later than who waited for it goes on, ns: a
// library wakes the thread first.
inline constexpr int64_t kWoken = 1'000'000;

// The dependencies of `rank` within `window`. `names` are those of the recording.
Dependencies BuildDependencies(const RankActivity& rank, const StringTable& names,
                               const PathWindow& window);

// Whether an operator of a host may wait for a collective: those of tensor libraries compute;
// others run operators or Python, as "Optimizer.step#SGD.step" or a function that a user wrote.
bool MayWait(std::string_view operator_name);

}  // namespace stepscope
