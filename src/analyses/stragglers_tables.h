// Makes the tables of ranks that others wait for.
#pragma once

#include "analyses/stragglers_suspects.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::stragglers {

// By where lateness began, and beside it who came last.
Table RankTable(const Facts& facts, const Blames& blames);
// The evidence for the causes.
Table ReasonTable(const CollectiveFacts& c, const Blames& blames);
Table StepTable(const CollectiveFacts& c, const StepBlame& steps);

}  // namespace stepscope::stragglers
