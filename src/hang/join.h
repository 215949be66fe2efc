// Joins the dumps of all ranks into one job.
#pragma once

#include <cstdint>
#include <span>

#include "hang/job.h"

namespace stepscope::hang {

// `world_size`: ranks that the job has; 0: those that dumps know of. `unusable`: dumps that do not
// count; their ranks are of the job unless others name all its ranks. The dumps must outlive the
// job.
Job JoinDumps(std::span<const RankDump> dumps, int64_t world_size,
              std::span<const UnusableDump> unusable = {});

}  // namespace stepscope::hang
