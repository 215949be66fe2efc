// Tells findings about several ranks that hold a job up together, and what belongs to them.
#pragma once

#include <vector>

#include "report/weigh_findings.h"
#include "stepscope/report.h"

namespace stepscope {

// Whether two numbers per step are of the same steps. What began on the host of one rank may reach
// others a step later.
bool AreOfSameSteps(const Finding& a, const Finding& b);

// Whether a replay says what it saves to mend several ranks, which are late alike or for different
// reasons.
bool IsOfNamedRanks(const Finding& f);

// Of several that compute longer, without a replay that prices them.
bool IsOfSlowRanks(const Finding& f);

// Makes what is told of some of such ranks alone, as that one of them computes longer, evidence of
// what is told of all: mending one may save nothing. Functions and operators that are named stay.
void TakeParts(std::vector<Found>& found, const std::vector<Report>& reports);

}  // namespace stepscope
