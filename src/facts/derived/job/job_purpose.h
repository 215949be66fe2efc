// Decides whether a job trains or infers.
#pragma once

#include "facts/facts.h"
#include "trace/purpose_names.h"

namespace stepscope {

// Training where any rank has an operator, annotation or kernel that only training has: jobs that
// train may infer between steps. Else inference where any rank has one of inference. What is not
// known of an operator may be known of its kernels, so kernels count too.
Purpose PurposeOfJob(const Facts& facts);

}  // namespace stepscope
