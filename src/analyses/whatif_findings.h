// Makes the findings of `whatif`.
#pragma once

#include <span>

#include "analyses/whatif_changes.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

// Groups whose transfers are slow, if mending that saves as much as counts for a rank.
void AddLinkFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes);

// Functions that all ranks run, where leaving one out saves as much as counts and no finding about
// the time between operators names it. Of jobs without devices.
void AddFunctionFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes);

}  // namespace stepscope::whatif
