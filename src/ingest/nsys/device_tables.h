// Reads what devices did: kernels, copies, sets, graphs, synchronization.
#pragma once

#include "ingest/nsys/nccl_calls.h"
#include "ingest/nsys/processes.h"
#include "ingest/sqlite/database_file.h"
#include "trace/vocabulary.h"

namespace stepscope::nsys {

// What all readers of tables need.
struct Source {
  const DatabaseFile& file;
  Texts& texts;
  Processes& processes;
  Wanted keep;
};

// REQUIRES: the host's tables were read, of which `collectives` knows what launched a kernel.
void ReadDeviceTables(const Source& source, const NcclCalls& collectives);

}  // namespace stepscope::nsys
