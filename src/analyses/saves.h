// Words and advice where saving checkpoints is what a rank takes longer for.
#pragma once

#include <cstdint>
#include <span>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"

namespace stepscope {

// Whether at least half of `more`, ns per step that the rank takes longer, is due to checkpoints
// that it saves, and the others do not.
bool SavesExplain(const Facts& facts, int64_t rank, double more);
// Whether at least half of `time`, ns of all steps of these ranks, goes to that.
bool AreMostlySaves(const Facts& facts, std::span<const RankSteps> ranks, int64_t time);

// "save checkpoints less often, in the background (...), or a share on each rank".
Phrase SaveLessOften(const Facts& facts);
// "; saving checkpoints takes 132 ms per step", where that explains `more` ns per step.
Phrase SaySavesBehind(const Facts& facts, int64_t rank, int64_t more);

}  // namespace stepscope
