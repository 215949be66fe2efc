// The sequences of kernels that operators launch, a part of kernels by operator.
#pragma once

#include <vector>

#include "facts/activity/launched_by.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::operator_kernels {

// One row per rank, operator and sequence. `launches` are the kernels of each of `facts.ranks` that
// were launched alone, in order of starts, and the operator around each launch.
Table SequencesTable(const Facts& facts, std::vector<std::vector<Launched>> launches);

}  // namespace stepscope::operator_kernels
