// Finds forward passes between the steps of training that train nothing, as of an evaluation.
#pragma once

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Between the end of an optimizer's step and the next backward pass lies one forward pass: as many
// products of matrices as behind most optimizer steps. Where at least twice as many run, behind two
// steps or more and behind fewer than half of all, those before the last pass train nothing. They
// become rank.evaluations, and the step that begins or ends with them is without them. Those within
// a step stay in it, as do those that a compiler runs, and so does what few evaluations have before
// them, as a checkpoint. REQUIRES: rank.steps are in order.
void TakeEvaluationsOut(RankActivity& rank, const StringTable& names);

}  // namespace stepscope
