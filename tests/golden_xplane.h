// Writes the traces of golden tests as profiles of TensorFlow and JAX: the same answers are
// expected, since behind the readers nobody knows a format.
#pragma once

#include <string>
#include <vector>

#include "tests/golden_file.h"

namespace stepscope::testing {

// Whether a profile can say all that the trace says. It has no place for arguments of collectives,
// hardware counters or what only PyTorch records, tells kinds by names, gives work that no call
// launched, or one of another thread, to other steps, and numbers steps anew where two say the
// same.
bool FitsXPlane(const InlineTrace& trace);
// All of them, and no two of one rank: ranks are told by the files' names.
bool FitXPlane(const std::vector<InlineTrace>& traces);

// The profile. REQUIRES: FitsXPlane().
std::string ToXPlane(const InlineTrace& trace);

}  // namespace stepscope::testing
