// Words what allocating and freeing memory of devices costs steps.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// Where calls such as cudaMalloc and cudaFree are a relevant part of these steps, while no device
// works: an allocator that keeps what it has makes none after the first steps.
void AddAllocationFinding(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope::overview
