// Words what is left out of step time because it happens once: a long first step, compilation and
// other one-time work before the first complete step.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// "; first step of 360 ms left out: warm-up, 300 ms more". It says "compilation" or "one-time work"
// where that is most of what the step takes more.
Phrase SayWarmUp(const std::vector<RankSteps>& ranks, const TypicalSteps& typical);

// " Before the first complete step: 18.3 s of compilation." Empty where that is less than a tenth
// of the recording.
Phrase SayBeforeSteps(const Facts& facts, const std::vector<RankSteps>& ranks);

// Where compilation or other one-time work is much of the recording, but of no typical step.
void AddStartupFinding(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope::overview
