// Matches collectives across ranks, and divides each rank's part into wait time for the last rank
// and transfer time.
//
// Ranks number the collectives of a process group alike, so group and number match them. Old traces
// carry no numbers; there the order of the communication kernels does, once it is known how far one
// recording is ahead of another (order_alignment). Clocks of hosts differ by milliseconds: times of
// different ranks are compared only after alignment (clocks).
#pragma once

#include <span>

#include "facts/activity/rank_activity.h"
#include "facts/collectives/collective_facts.h"

namespace stepscope {

// Matches, aligns the clocks, and splits the work of `ranks`: by rank, then window. Clocks are
// aligned by all that was `recorded` of the same ranks, whichever steps were selected of it. Linear
// but for sorting.
CollectiveFacts DeriveCollectives(const StringTable& names, std::span<const RankActivity> ranks,
                                  std::span<const RankActivity> recorded);

// The first step of it; the last is SplitCollectives() (split.h).
CollectiveFacts MatchCollectives(const StringTable& names, std::span<const RankActivity> ranks);

}  // namespace stepscope
