// Computes the FLOPs and minimum bytes of operators from the shapes of their
// inputs.
//
// A multiplication and an addition are two operations. Counted are matrix products, convolutions
// and attention; everything else moves data more than it computes.
//
//   (m, k) x (k, n)              2 m k n, times the batch
//   convolution                  2 x elements of the output x elements of a filter
//   its backward                 the same for each of the gradients of input and weight
//   attention                    2 b h q k (d + e): scores of d wide keys, sums of e wide values;
//   half
//                                of it if causal and q = k. Backward 2.5 times that: five products,
//                                of which one computes the scores again
//
// The size of a convolution's output is that of its backward's first input, or follows from stride
// and padding, which PyTorch records since 2.1. Of operators that call one another, as linear calls
// addmm, the innermost one whose shapes are known counts.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "facts/operators/operator_cost.h"
#include "facts/operators/operators.h"

namespace stepscope {

struct CountedOperator {
  int32_t range = kNoRange;  // index into HostOps::ranges
  OperatorCost cost;
};

// The operators of a host whose operations could be counted, by range.
std::vector<CountedOperator> CountOperators(const StringTable& names, const HostOps& host,
                                            const OperatorTree& tree);

}  // namespace stepscope
