// Joins the dependencies of all ranks into one graph.
#pragma once

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// Linear but for sorting the moments of each rank; ranks are built on all processors.
const JobGraph& JobGraphOf(const Facts& facts);

// The graph of JobRank::graph with what its edges are called, made anew.
Dependencies LabelledGraph(const RankActivity& rank, const StringTable& names, bool lock_step);

}  // namespace stepscope
