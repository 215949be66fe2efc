// Writes why the streams of a recording were idle, and what its host waited for meanwhile.
#pragma once

#include "condense/recording.h"
#include "partials/partial_table.h"

namespace stepscope {

void CondenseIdle(const RecordingToCondense& recording, PartialTable& into);

}  // namespace stepscope
