// Finds quantities that two analyses of one answer tell differently.
#pragma once

#include <string>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::testing {

// What contradicts itself in `answer`, a sentence each; empty when all agrees. `answer` must hold
// the reports of all analyses; those that are unavailable are passed over. The quantities, and
// where each is told, are in docs/quantities.md.
std::vector<std::string> Contradictions(const ReportSet& answer);

// The same for what findings claim: no more than there is, and no more than their sentence says.
std::vector<std::string> OverstatedFindings(const ReportSet& answer);

}  // namespace stepscope::testing
