// Finds what two runs do differently, whatever time it takes: FLOPs, precision, profiler options.
#pragma once

#include <string>

#include "stepscope/report.h"

namespace stepscope::comparison {

// Sentences, each with a space before it; empty where nothing differs.
std::string SayWork(const ReportSet& a, const ReportSet& b);

}  // namespace stepscope::comparison
