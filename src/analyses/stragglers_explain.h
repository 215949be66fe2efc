// Explains why the ranks that others wait for are late, and weighs whether they are.
#pragma once

#include "analyses/stragglers_suspects.h"
#include "facts/facts.h"

namespace stepscope::stragglers {

// Sorts the suspects. The first few are weighed, and compared with the others in the steps in which
// they are late.
void ExplainSuspects(const Facts& facts, Blames& blames);

}  // namespace stepscope::stragglers
