// Finds work on double beside work on float, on processors.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "31.2% of step time is in operators on double, mostly aten::addmm, in forward (stern.py:12)."
// From a tenth of the steps on, where the types of inputs were recorded, and a quarter as much or
// more is on narrower types: a job that computes all in double means to. Needs marked steps.
void AddDouble(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
