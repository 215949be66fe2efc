// Writes what the steps of a recording went to, and what they say of its host.
#pragma once

#include "facts/facts.h"
#include "partials/partial_table.h"

namespace stepscope {

// `facts`: the recording's own. The rows "stretch", "part", "role" and "effort"
// (docs/formats/partials.md).
void CondenseSteps(const Facts& facts, PartialTable& into);

}  // namespace stepscope
