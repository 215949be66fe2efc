// Writes the findings about ranks on hosts that do more work since a step, or in alternating steps.
#pragma once

#include "facts/derived/lateness/work_rises.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "Rank 1 spends 10.5 ms more per step since step 9: time between operators (slow_transform
// (train.py:20))." The finding about it says so.
Phrase SayWorkRise(const Facts& facts, const WorkRise& rise);

// Adds a finding for each, but for the one that another finding tells; null: none.
void AddWorkRises(Report& report, const Facts& facts, const WorkRise* told);

}  // namespace stepscope
