// Finds what two runs do differently, whatever time it takes: FLOP, precision, calls, recording.
#pragma once

#include <string>

#include "report/compare_steps.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Sentences, each with a space before it; empty where nothing differs. Which calls differ is said
// where times say nothing: `steps`, or their compute, differ by noise.
std::string SayWork(const ReportSet& a, const ReportSet& b, const StepChange& steps);

}  // namespace stepscope::comparison
