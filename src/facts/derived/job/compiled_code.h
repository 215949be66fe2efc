// Decides whether PyTorch's compiler made some of the job's code.
#pragma once

#include "facts/facts.h"

namespace stepscope {

// Whether any rank ran a compiled region, or a kernel that the compiler generated. Recordings
// without operators tell it by their kernels.
bool HasCompiledCode(const Facts& facts);

}  // namespace stepscope
