// Reads what the host did: ranges, calls into CUDA, and what the profiler itself cost.
#pragma once

#include "ingest/nsys/device_tables.h"

namespace stepscope::nsys {

// Fills `collectives`, and joins them.
void ReadHostTables(const Source& source, NcclCalls& collectives);

// Names threads by the programs that ran in them.
void NameThreads(const Source& source);

}  // namespace stepscope::nsys
