// What operators compute, from the shapes of their inputs: operations, and the least bytes they
// have to move.
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
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/operators/operators.h"

namespace stepscope {

// The type of the numbers an operator multiplies.
enum class NumberType : uint8_t { kFp64, kFp32, kBf16, kFp16, kFp8, kInt8, kOther };
NumberType NumberTypeOf(std::string_view framework_type);  // "float", "c10::BFloat16"
std::string_view NumberTypeName(NumberType type);          // "fp32", "bf16"; "" for kOther

// What one execution of an operator computes.
struct OperatorCost {
  double flops = 0;
  double model_flops = 0;  // without what the backward pass computes a second time
  double bytes = 0;        // at least: inputs read once, outputs written once
  NumberType type = NumberType::kOther;
};

struct CountedOperator {
  int32_t range = kNoRange;  // index into HostOps::ranges
  OperatorCost cost;
};

// The operators of a host whose operations could be counted, by range.
std::vector<CountedOperator> CountOperators(const StringTable& names, const HostOps& host,
                                            const OperatorTree& tree);

}  // namespace stepscope
