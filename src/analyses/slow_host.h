// Words what slows all that a rank runs on its host.
#pragma once

#include <string_view>

#include "facts/derived/lateness/slow_rank.h"
#include "stepscope/phrase.h"

namespace stepscope {

inline constexpr std::string_view kFindWhatSlows =
    "find what takes its cores or Python's lock since then: other processes of that machine (top), "
    "other threads of that process (py-spy dump); if there is nothing, look at its clocks "
    "(turbostat)";

// "all that rank 1 runs takes longer, its operators 2.6× as long".
Phrase SaySlowRank(const SlowRank& slow);
// "operators with 97% of its time in them take longer, called as often on inputs of the same size".
Phrase SaySlowEvidence(const SlowRank& slow);

}  // namespace stepscope
