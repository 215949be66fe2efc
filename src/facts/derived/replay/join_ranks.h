// Joins the dependencies of all ranks into one graph.
#pragma once

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// Linear but for sorting the moments of each rank; ranks are built on all processors. A graph takes
// some 250 bytes for each event: of more than some million events it is of a run of steps, those
// about a change of step time, or the last ones.
const JobGraph& JobGraphOf(const Facts& facts);

// The graph of JobRank::graph with what its edges are called, made anew.
Dependencies LabelledGraph(const JobRank& job, const StringTable& names);

}  // namespace stepscope
