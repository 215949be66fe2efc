// Says what a report of partials cannot tell.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds a note where recordings are partials (facts/derived/steps/of_partials.h).
void NotePartials(const Facts& facts, Report& report);

}  // namespace stepscope
