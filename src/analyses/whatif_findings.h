// Makes the findings of `whatif`.
#pragma once

#include <span>

#include "analyses/whatif_changes.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::whatif {

// Ranks with which lateness began. `error`: of a replay, a share of the step.
void AddOriginFindings(Report& report, const Facts& facts, double error);

// Groups whose transfers are slow, if mending that saves as much as counts for a rank.
void AddLinkFindings(Report& report, const Facts& facts, std::span<const AskedChange> changes,
                     double error);

// What others found of the causes of some changes is worth what a replay says: findings that are
// none alone.
void AddWorths(Report& report, const Facts& facts, std::span<const AskedChange> changes,
               double error);

}  // namespace stepscope::whatif
