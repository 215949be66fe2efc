// Finds an operator that hardly any model needs for long, and that takes a good part of all steps.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "26.9% of step time is in aten::sort, in look (grains.py:9), on all ranks." Of processors: where
// an operator that sorts, searches, counts, decomposes or measures distances takes 15% of the steps
// of each rank or more, in up to 50 calls per step; where step time rises, of the
// steps before. Many short calls are AddManyCalls's.
void AddLongOperator(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
