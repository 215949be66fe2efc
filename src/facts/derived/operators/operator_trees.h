// Holds the operators of each trace: their tree, self times and costs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/narrow_array.h"
#include "facts/facts.h"
#include "facts/operators/operator_flops.h"
#include "facts/operators/operators.h"

namespace stepscope {

const OperatorTree& OperatorTreeOf(const Facts& facts, const RankActivity& rank);
// As SelfTimes().
const NarrowArray<int64_t>& SelfTimesOf(const Facts& facts, const RankActivity& rank);
// As CountOperators().
const std::vector<CountedOperator>& OperatorCostsOf(const Facts& facts, const RankActivity& rank);

}  // namespace stepscope
