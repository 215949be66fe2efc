// Tells the parts of steps that take more, or less, in the mean of all ranks.
#pragma once

#include "report/compare_lead.h"
#include "report/compare_steps.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Adds findings: categories that take more, and leads of what takes more or less. Their impact is
// ns per step. `on_a_rank`: one rank took more, so that the others wait for it. `more_collectives`:
// they are more calls than before. `of_several`: the cause of several such ranks. Returns whether
// ranks only wait longer in collectives, because of what else takes more: that is no cause of its
// own.
bool AddCategoryFindings(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                         bool on_a_rank, CauseKind of_several, bool more_collectives,
                         Report& report, Leads& leads);

}  // namespace stepscope::comparison
