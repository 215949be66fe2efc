// Writes the verdict: the sentences a reader sees first.
#pragma once

#include <string>

#include "stepscope/report.h"

namespace stepscope {

// One or two sentences: the headline of the first available report, and the first finding. Without
// one that is worth a look, the largest cost besides compute, where the reports can tell.
// REQUIRES: the findings are joined (report/findings.h).
std::string Verdict(const ReportSet& answer);

// " Input is incomplete: 1 file ends early, 2 ranks have no trace." Empty if nothing is missing. If
// only one rank was given, the other ranks are not counted as missing.
std::string SayWhatIsMissing(const RunInfo& run);

}  // namespace stepscope
