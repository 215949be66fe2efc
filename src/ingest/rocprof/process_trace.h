// Makes the trace of a process of its records.
#pragma once

#include <vector>

#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "ingest/rocprof/records.h"

namespace stepscope::rocprof {

// The traces of the processes of one file, in the order of their ranks: as launchers numbered them,
// if all tell and differ; else by the first device that each used, then by process ID. Processes
// without device activity are left out with a note where others have some. At least one, of which
// the first has the notes about the file. REQUIRES: `processes` is not empty.
std::vector<Recording> TracesOf(std::vector<ProcessRecords> processes, Wanted keep);

}  // namespace stepscope::rocprof
