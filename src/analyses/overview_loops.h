// Finds functions of the user's program that loop over short operators, on processors.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "walk_along (ledger_net.py:21) runs 960 short operators per step: 21.3% of step time." Of the
// functions that take a tenth of the steps by themselves, the longest one in which an operator runs
// 50 times per call or more, and operators take less than 20 µs each. Needs marked steps, and
// Python's functions.
void AddSmallOperators(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
