// Reads databases of Ascend's profiler (ascend_pytorch_profiler*.db, msprof_*.db).
#pragma once

#include <vector>

#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "ingest/sqlite/database_file.h"
#include "stepscope/result.h"

namespace stepscope {

bool IsAscendDatabase(const DatabaseFile& file);

// One recording, of the rank. Times are those of the file, ns since 1970. What is damaged costs
// what follows it in its table, and a note; fails where there is no event that is read.
Result<std::vector<Recording>> ReadAscendDatabase(const DatabaseFile& file,
                                                  const ReadOptions& options);

}  // namespace stepscope
