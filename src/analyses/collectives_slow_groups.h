// Tells process groups with slow collectives, a part of the analysis of collectives.
#pragma once

#include <string>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::collectives {

// Adds the table `slow_groups` and a finding, where there are any
// (facts/derived/collectives/slow_groups.h).
void AddSlowGroups(Report& report, const Facts& facts);

// What a collective is called: as the trace does, else as we do.
std::string OperationText(const Facts& facts, CollectiveOp op, StringId operation);

}  // namespace stepscope::collectives
