// Finds an operator of a job on processors that runs very often and for a short time: a loop in
// Python over single elements.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "aten::item runs 5,758 times per step: 12.2% of step time." Nothing where no operator runs 1,000
// times per step, for a twentieth of it, and for less than 20 µs each. Without steps: "Loops in
// Python over small operators take 52.0% of the trace, in row_update (train.py:21)", where one
// operator runs at least 1,000 times in loops: 100 times in a row or more, each time after the same
// number of others: at most 7, or 31 where it is an operator that only optimizers run. What the
// engine of the backward pass runs is in no loop.
void AddManyCalls(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
