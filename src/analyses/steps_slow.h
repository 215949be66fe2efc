// Writes the findings about slow steps: which, how regular, and what grew in them.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_changes.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds the metric `slow_steps`, and a finding where there are some. `median`: of a step, ns;
// `slow`: a step that takes at least this multiple of it is slow.
void AddSlowSteps(Report& report, const Facts& facts, const std::vector<RankSteps>& ranks,
                  int64_t median, double slow);

}  // namespace stepscope
