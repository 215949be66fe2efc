// Makes a partial of a recording: its steps, its collectives as they were, and of all other work
// the time that it took, exactly, between every two of their moments.
#pragma once

#include "condense/recording.h"
#include "partials/partial_table.h"

namespace stepscope {

// Appends the rows of the recording: about it, its steps, its work by start, its kernels.
void Condense(const RecordingToCondense& recording, PartialTable& into);

}  // namespace stepscope
