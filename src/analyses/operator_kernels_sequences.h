// The sequences of kernels that operators launch, a part of kernels by operator.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::operator_kernels {

// A kernel that was launched alone, and the operator around its launch.
struct OperatorLaunch {
  int32_t range = kNoRange;  // index into HostOps::ranges
  uint32_t activity = 0;     // index into RankActivity::activities
};

// One row per rank, operator and sequence. `launches` are those of each of `facts.ranks`, in order
// of starts.
Table SequencesTable(const Facts& facts, std::vector<std::vector<OperatorLaunch>> launches);

}  // namespace stepscope::operator_kernels
