// Counts the FLOPs of matrix products that XLA hands to a library.
#pragma once

#include <string_view>

#include "ingest/xplane/xplane_module.h"

namespace stepscope {

// Of cuBLAS, or of hipBLAS under the same names.
bool IsLibraryProduct(std::string_view target);

// Two for each multiplication and addition; -1: not known. REQUIRES: IsLibraryProduct().
double LibraryFlops(const HloComputation& within, const HloInstruction& of);

}  // namespace stepscope
