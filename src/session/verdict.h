// Writes the verdict: the sentences a reader sees first.
#pragma once

#include <span>
#include <string>

#include "stepscope/report.h"

namespace stepscope {

// One or two sentences: the headline of the first available report, and the finding with the
// largest impact.
std::string Verdict(std::span<const Report> reports);

// " Input is incomplete: 1 file ends early, 2 ranks have no trace." Empty if nothing is missing. If
// only one rank was given, the other ranks are not counted as missing.
std::string SayWhatIsMissing(const RunInfo& run);

}  // namespace stepscope
