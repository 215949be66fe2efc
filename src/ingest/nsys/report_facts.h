// Reads what a report says about the machine: its name, its devices, their counters.
#pragma once

#include "ingest/common/launched_rank.h"
#include "ingest/nsys/device_tables.h"

namespace stepscope::nsys {

// The name of the host, and the properties of each process's devices.
void ReadMachine(const Source& source);

// GPU metrics as counters of the first process that used the device. REQUIRES: devices were read.
void ReadMetrics(const Source& source);

// The rank of the one process that was profiled, by what launchers put into its environment; of
// which nothing else is read.
LaunchedRank RankOfEnvironment(const DatabaseFile& file);

// Whether the report's schema is newer than those that are known.
bool IsNewer(const DatabaseFile& file);

}  // namespace stepscope::nsys
