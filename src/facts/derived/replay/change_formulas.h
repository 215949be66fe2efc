// Makes changes that are more than other durations, by formulas with assumptions.
#pragma once

#include <cstdint>
#include <string_view>

#include "facts/derived/replay/job_lags.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Reductions of gradients with `factor` times their bytes, and so fewer. Each takes a constant time
// beside what its bytes take: a line through the median transfers of the smallest and the largest.
// Returns why nothing can be said; empty: it is in `asked`, with its assumption.
Phrase EnlargeBuckets(const Facts& facts, double factor, AskedLags& asked);

// Other microbatches of a pipeline: with p stages, m microbatches and v chunks per stage the bubble
// is (p-1)/(v*m) of what a stage is busy (facts/derived/layout/pipeline_stages.h). Likewise.
Phrase ChangeMicrobatches(const Facts& facts, int64_t count, AskedLags& asked);

// What the group of an instance is for, as "tp"; empty: unknown.
std::string_view PurposeOf(const Facts& facts, const JobGraph& graph, const JobInstance& instance);

}  // namespace stepscope
