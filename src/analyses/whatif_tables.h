// Makes the tables of what changes are worth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyses/whatif_changes.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

// A step of a rank as it was recorded, and as a replay without changes has it, ns: from the end of
// the step before, or of the first from its begin.
struct ReplayedStep {
  int64_t rank = 0, step = 0, measured = 0, replayed = 0;
  double Error() const;  // a share of `measured`; 0 where that is 0
};
std::vector<ReplayedStep> CompareReplay(const JobGraph& graph);

// `error`: of a replay, a share of the step.
Table ChangesTable(const Facts& facts, std::span<const AskedChange> changes, double error);
// What nobody can do so much of.
Table BoundsTable(const Facts& facts, std::span<const AskedChange> changes, double error);
// One example of each origin: how its lateness came to others.
Table ChainTable(const Facts& facts);
// Ranks whose own work takes longer, and what little that costs.
Table HarmlessTable(const Facts& facts);
Table ReplayTable(std::span<const ReplayedStep> rows);

}  // namespace stepscope::whatif
