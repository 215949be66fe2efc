// Counts the multiplications of a convolution.
#pragma once

#include "ingest/xplane/xplane_instruction.h"

namespace stepscope {

// The arrays of a convolution, whichever of them its operands and its result are.
struct ConvolutionArrays {
  const HloShape& input;
  const HloShape& kernel;
  const HloShape& output;
};

// Multiplications of an element by a weight, padding and holes aside.
double MultiplicationsOf(const HloInstruction& convolution, const ConvolutionArrays& arrays);

}  // namespace stepscope
