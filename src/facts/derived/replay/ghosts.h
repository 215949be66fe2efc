// Lets ranks without a trace take part in a graph.
//
// Where the recorded members of a collective or message end it later, by 5 us and six deviations,
// than its usual transfer after the last of them has come, a rank without a trace came last. When
// it comes in a replay is not known: it is taken to come as long after the instance before in which
// it took part as it did.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// An instance with members that have no trace.
struct GhostInstance {
  JobInstance instance;            // without members, where only one was recorded
  uint32_t index = kNowhere;       // into JobGraph::instances; kNowhere: it is none yet
  std::vector<JobMember> members;  // recorded ones: rank, part, moments
  std::vector<int64_t> absent;     // ranks; several may be the last
};

// Adds to the graph those of `some` in which a rank without a trace came last, and what it is taken
// to come after. Usual transfers are those of instances all of whose members were recorded; where
// there is none of a kind, the lower quartile of the others, if there are eight; else what
// absent_ranks.h finds. n log n.
void AddGhosts(const Facts& facts, std::vector<GhostInstance> some, JobGraph& graph);

}  // namespace stepscope
