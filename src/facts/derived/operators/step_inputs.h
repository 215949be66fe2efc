// Measures how large the inputs of operators are in each step.
#pragma once

#include <vector>

#include "base/intervals.h"
#include "facts/facts.h"

namespace stepscope {

// Elements of all inputs of the operators that begin in each window, per operator with known
// shapes; 0 where there is none. `windows`: ascending, none overlap.
std::vector<double> InputElementsOf(const Facts& facts, const RankActivity& rank,
                                    const IntervalSet& windows);

}  // namespace stepscope
