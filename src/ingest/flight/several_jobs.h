// Tells directories of dumps that several jobs, or several attempts of one, left beside one
// another.
#pragma once

#include <span>

#include "ingest/flight/rank_dump.h"
#include "stepscope/result.h"

namespace stepscope {

// Fails where most ranks of two sets of dumps are the same and the dumps differ. A set is of one
// directory, and of names that are alike but for their numbers. One rank that has two dumps in one
// directory is no reason.
Result<void> RefuseSeveralJobs(std::span<const RankDump> dumps);

}  // namespace stepscope
