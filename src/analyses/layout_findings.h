// Builds the findings of `layout`.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// A bubble that is much larger than the schedule's.
void AddBubbleFinding(Report& report, const Facts& facts);
// Exposed communication that is mostly of one kind of group: the bubble that a pipeline needs, or
// layers divided across hosts.
void AddKindFinding(Report& report, const Facts& facts);
// Ranks that compute unequally between the all-to-alls of experts.
void AddExpertFinding(Report& report, const Facts& facts);

}  // namespace stepscope
