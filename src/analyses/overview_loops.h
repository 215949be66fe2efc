// Finds functions of the user's program that take long within operators, on processors: loops over
// short ones, and Python or NumPy that an operator runs.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "walk_along (ledger_net.py:21) runs 960 short operators per step: 21.3% of step time." Of the
// functions that take a tenth of the steps by themselves, the longest one in which an operator runs
// 50 times per call or more, and operators take less than 20 µs each. Of several ranks also
// "forward (loss.py:9) takes 17.5 ms of 59.0 ms per step on all ranks, in Python within an
// operator.": that runs hardly any operators itself, and mostly not between operators. Needs marked
// steps, and Python's functions.
void AddWithinOperators(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
