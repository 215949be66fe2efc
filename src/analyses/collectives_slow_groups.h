// Tells process groups with slow collectives, a part of the analysis of collectives.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds the table `slow_groups` and a finding, where there are any
// (facts/derived/collectives/slow_groups.h).
void AddSlowGroups(Report& report, const Facts& facts);

}  // namespace stepscope
