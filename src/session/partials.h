// Says what partials cannot be asked, or be beside.
#pragma once

#include <span>
#include <vector>

#include "facts/derived/steps/of_partials.h"
#include "session/load_file.h"
#include "stepscope/phrase.h"
#include "stepscope/rank_trace.h"

namespace stepscope {

// Fails where these are partials: these have no events to hand out, show or write again. `sources`:
// the traces that have, where they are known.
Result<void> CheckHasEvents(std::span<const RankActivity> ranks,
                            std::span<const RankTrace> sources);

// Why an analysis of events is not of these partials, with the command that asks the trace of the
// first of them.
Phrase SayAskTheTrace(std::span<const RankActivity> ranks, std::span<const RankTrace> sources);

// Fails where a rank has a trace and a partial, or two partials of different numbers of shards: it
// would count twice, or be of two jobs. `files`: without duplicates.
Result<void> CheckNotBoth(const std::vector<LoadedFile>& files);

}  // namespace stepscope
