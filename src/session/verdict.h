// The sentences a reader sees first.
#pragma once

#include <span>
#include <string>

#include "stepscope/report.h"

namespace stepscope {

// One or two sentences: the headline of the first report that answers, and the finding worth most.
std::string Verdict(std::span<const Report> reports);

// " Not all of it was read: 1 file ends early, 2 ranks have no trace." What a reader has to know
// before any number; empty when nothing is missing. Of a rank that was given alone, the others are
// not.
std::string SayWhatIsMissing(const RunInfo& run);

}  // namespace stepscope
