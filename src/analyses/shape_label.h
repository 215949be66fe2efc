// Names an operator's call by the sizes of its inputs.
#pragma once

#include <string>

#include "facts/operators/operator_call.h"

namespace stepscope {

// "addmm M=888 N=2880 K=512 bf16, B transposed" of a product, "B=16 H=16 S=559 D=64 bf16, causal"
// of attention, "conv2d 10x64x56x56, filter 64x64x3x3, stride 2, padding 1 bf16, channels last" of
// a convolution, else the sizes of all tensors, and other values. Two calls may have one label.
std::string LabelOfCall(const OperatorCall& call);

}  // namespace stepscope
