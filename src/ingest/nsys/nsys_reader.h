// Reads reports of Nsight Systems that were exported as SQLite: one recording for each process that
// used a device. docs/formats/nsight_systems.md says what is read of them.
#pragma once

#include <vector>

#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "ingest/sqlite/database_file.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

// All recordings of a report, by rank where it tells ranks, else by device and process ID; at least
// one. ReadOptions::part and its observer are not asked.
Result<std::vector<Recording>> ReadNsys(DatabaseFile file, const ReadOptions& options);

// The recording ReadOptions::part of a report.
Result<Trace> ReadNsysPart(DatabaseFile file, const ReadOptions& options);

}  // namespace stepscope
