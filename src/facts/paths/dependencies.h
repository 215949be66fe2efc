// Builds the graph of what had to end before what could begin.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/saturate.h"
#include "facts/paths/dependency_graph.h"

namespace stepscope {

// Kinds that tell dependencies.
inline constexpr KindSet kDependencyNeeds =
    kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync, Kind::kPythonWait};

// The record of a collective or message may end so much later than who waited for it goes on, ns: a
// library wakes the thread first.
inline constexpr int64_t kWoken = 1'000'000, kWokenAtMost = 20'000'000;
// As kWoken, of a thread that has been quiet since `quiet_since`. Where processors are short, the
// thread that ends the record may get one some time slices later: that is believed of a thread that
// has been quiet for most of the record.
inline int64_t WokenBeforeEnd(int64_t start, int64_t end, int64_t quiet_since) {
  constexpr int64_t kPart = 4;
  const int64_t time = SubtractSaturated(end, start);
  if (SubtractSaturated(quiet_since, start) > time / kPart) return kWoken;
  return std::clamp(time / kPart, kWoken, kWokenAtMost);
}

// The dependencies of `rank` within `window`. `names` are those of the recording.
Dependencies BuildDependencies(const RankActivity& rank, const StringTable& names,
                               const PathWindow& window);

// Whether an operator of a host may wait for a collective: those of tensor libraries compute;
// others run operators or Python, as "Optimizer.step#SGD.step" or a function that a user wrote.
bool MayWait(std::string_view operator_name);

}  // namespace stepscope
