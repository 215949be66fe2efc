// Writes what the steps of a recording went to, and what they say of its host.
#pragma once

#include "condense/recording.h"
#include "partials/partial_table.h"

namespace stepscope {

// The rows "stretch", "part", "role" and "effort" (docs/formats/partials.md).
void CondenseSteps(const RecordingToCondense& recording, PartialTable& into);

}  // namespace stepscope
