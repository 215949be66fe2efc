// Words changes of step time: since when, by how much, and which rank's part of a step changed
// then.
#pragma once

#include <cstdint>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

struct ConcurrentThread;
struct StepChanges;
struct WorkRise;

// "in every recorded step (3 to 8)". REQUIRES: first < last.
Phrase InEveryStep(const Facts& facts, int64_t first, int64_t last);

// Another Python thread that one rank runs since steps take longer, because of what its own takes
// longer; `kind`: of the finding that tells it.
struct ThreadBehind {
  const ConcurrentThread* thread = nullptr;  // null: there is none
  CauseKind kind = CauseKind::kNone;
};
ThreadBehind ThreadBehindChange(const Facts& facts);

// Adds the table `changes`, where there are any, and a finding where steps take longer since one of
// them. Returns the work that the finding tells of; null: none.
const WorkRise* AddStepChanges(Report& report, const Facts& facts, const StepChanges& changes);

}  // namespace stepscope
