// Finds what two runs do differently, whatever time it takes: FLOPs, precision, profiler options.
#pragma once

#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Sentences, each with a space before it; empty where nothing differs.
Phrase SayWork(const ReportSet& a, const ReportSet& b);

}  // namespace stepscope::comparison
