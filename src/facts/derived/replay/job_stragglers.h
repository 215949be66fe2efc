// What stragglers cost the job whose ranks were traced, by the method of facts/derived/operations
// (arXiv 2505.05713) on the graph of all ranks.
//
// Where operations of a whole job know only what a replica's stages do, traces know every unit of
// work, so three things differ. Launching is work of the host and stays; what is left out as launch
// delay is what nothing in the graph explains (ExplainedLags). The ideal of a unit is the mean of
// the same unit over steps and over ranks with the same work, and that of a transfer the median of
// transfers of its group, kind and size. A worker is a rank; which stage it is, is not known.
#pragma once

#include <cstdint>

#include "facts/derived/operations/straggler_cost.h"
#include "facts/derived/replay/job_graph.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {

struct JobStragglers {
  // Of all steps but the first, which begins when the recording does. Workers are the ranks whose
  // own work exceeds the ideal most, at most 16: each costs a replay.
  StragglerCost cost;
  int64_t alone = 0;    // ranks that no other has the same work as: compared with themselves
  int64_t unsized = 0;  // members of collectives and messages of unknown size: as recorded
};

// REQUIRES: JobGraphOf(facts) has ranks and steps.
const JobStragglers& JobStragglersOf(const Facts& facts);

}  // namespace stepscope
