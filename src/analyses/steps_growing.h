// Finds steps that grow all along, as with a cache that is never emptied.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Whether a change of level explains the steps better than a line does.
bool IsOneChange(const std::vector<int64_t>& steps);

// Adds a finding if they do, and returns whether. `steps`: ns of each, of the job. Not where
// another finding says why: a rank has more work since one step, or one function grows.
bool AddGrowingSteps(Report& report, const Facts& facts, const std::vector<int64_t>& steps);

}  // namespace stepscope
