// Reports expected goodput by all forms, the best interval, the levers, and findings.
#pragma once

#include <string>

#include "goodput/model/model.h"
#include "stepscope/goodput_model.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// REQUIRES CheckOptions(options), and `now` made from them.
Report ModelReport(const GoodputModelOptions& options, const Parameters& now);

// Summarizes such a report: expected goodput and the most effective lever.
Phrase ModelVerdict(const Report& report);

}  // namespace stepscope::goodput
