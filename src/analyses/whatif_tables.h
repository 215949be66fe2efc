// Makes the tables of what changes are worth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyses/whatif_changes.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

Table ChangesTable(const Facts& facts, std::span<const AskedChange> changes);
// What nobody can do so much of.
Table BoundsTable(const Facts& facts, std::span<const AskedChange> changes);
// One example of each origin: how its lateness came to others.
Table ChainTable(const Facts& facts);
// Ranks whose own work takes longer, and what little that costs.
Table HarmlessTable(const Facts& facts);
Table ReplayTable(std::span<const ReplayedStep> rows);

}  // namespace stepscope::whatif
