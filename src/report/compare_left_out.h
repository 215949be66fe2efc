// Finds out whether a function that only one run has ran in steps that its means leave out.
#pragma once

#include <cstdint>
#include <set>

#include "report/compare_steps.h"

namespace stepscope::comparison {

// Numbers of the steps of the run after, left out of its means, in which the rank spends about as
// much more of its own time as the function takes, `time` ns per step of all; empty: it ran in
// others too, or that is unknown.
std::set<int64_t> StepsLeftOutWith(const StepComparison& steps, int64_t rank, double time);

}  // namespace stepscope::comparison
