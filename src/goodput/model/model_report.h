// The report of the model: expected goodput in all forms, the best interval, the levers, findings.
#pragma once

#include <string>

#include "goodput/model/model.h"
#include "stepscope/goodput_model.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// REQUIRES CheckOptions(options), and `now` made from them.
Report ModelReport(const GoodputModelOptions& options, const Parameters& now);

// Of such a report, in a sentence: what to expect and what is worth most.
std::string ModelVerdict(const Report& report);

}  // namespace stepscope::goodput
