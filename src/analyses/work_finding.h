// Reports what ranks that compute on hosts have more of, since a step or in their turn.
#pragma once

#include "facts/derived/lateness/work_rises.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds a finding for each, but for the one that another finding tells; null: none.
void AddWorkRises(Report& report, const Facts& facts, const WorkRise* told);

}  // namespace stepscope
