// Findings about ranks with which lateness began, priced by replays.
#pragma once

#include <span>

#include "analyses/whatif_changes.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

// Ranks with which lateness began; of a function behind one, what leaving it out saves, if more.
// Low, where other load on a processor may have caused it.
void AddOriginFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes);

}  // namespace stepscope::whatif
