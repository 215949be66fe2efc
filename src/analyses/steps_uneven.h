// Finds ranks whose steps take longer than those of others that they do not wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds a finding where ranks without collectives in common, as of two servers or of jobs that were
// captured together, have other step times. `median`: of all steps, ns.
void AddUnevenSteps(Report& report, const Facts& facts, const std::vector<RankSteps>& ranks,
                    int64_t median);

}  // namespace stepscope
