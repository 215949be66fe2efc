// Chooses which steps of a long recording are replayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// Steps by number, both included.
struct StepRun {
  int64_t first = INT64_MIN, last = INT64_MAX;
  bool Has(int64_t step) const { return step >= first && step <= last; }
};

// Of the numbers of steps that all ranks have, ascending, in which there are so many events: as
// many as have a few millions, and sixteen at least. Where step time changes `since` one of them,
// as many before it as since then; else the last ones.
StepRun ChooseRun(std::span<const int64_t> steps, size_t events, std::optional<int64_t> since);

// Of JobGraph::steps, which are all.
StepRun StepsToReplay(const Facts& facts, const JobGraph& graph);

// From the begin of the first of these until the work of the last has ended; of a rank without
// steps, all of it.
PathWindow WindowOfSteps(const RankActivity& rank, const StepRun& steps);

}  // namespace stepscope
