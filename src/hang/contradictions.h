// Finds dumps that cannot be of one job, or of the ranks that their files' names say.
#pragma once

#include <span>
#include <vector>

#include "ingest/flight/rank_dump.h"
#include "stepscope/report.h"

namespace stepscope::hang {

// A note for each contradiction, at most of eight kinds of them: of a file whose rank is in none of
// its groups, groups whose members dumps disagree about, operations that a member finished and
// another one did not enqueue, versions of the recorder, and times more
// than an hour apart. Of two opinions the one of fewer dumps is told first.
std::vector<Note> ContradictionsOf(std::span<const RankDump> dumps);

}  // namespace stepscope::hang
