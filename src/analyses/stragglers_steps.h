// Tells in which steps a rank does what makes it late.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyses/stragglers_suspects.h"
#include "facts/derived/lateness/step_blame.h"
#include "facts/facts.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::stragglers {

// Whether it stands for ranks that have more of the same work, or are late in turn.
bool IsOfSeveral(const Suspect& s);

// "rank 1", "rank 1 device 3".
Phrase SaySuspect(const Facts& facts, const Suspect& s);

// The numbers of these, ascending.
std::vector<int64_t> RanksOf(const Facts& facts, const Suspect& s);

// The steps of a rank that has more to do in a stretch of them, and no longer; else empty.
std::vector<int64_t> StretchOf(const Facts& facts, const Suspect& s);

// The step of what makes the rank late: this one, or the one before.
int64_t OwnStep(const StepBlame& steps, const Suspect& s, int64_t number);

// " since step 5", " in steps 5 to 9", " in every recorded step (3 to 8)", " in every 5th step (4,
// 9 and 14)", " in step 8", where most of it is; empty where none holds.
Phrase SaySince(const Facts& facts, const StepBlame& steps, const Suspect& s);

// The ranks where they are several or in some of the steps, and the device of a rank with several.
Where WhereOf(const Facts& facts, const StepBlame& steps, const Suspect& s);

// " (most of it in 10 of 20 steps)"; of what began at a step the message says when.
Phrase SayLateSteps(const Facts& facts, const StepBlame& steps, const Suspect& s);

}  // namespace stepscope::stragglers
