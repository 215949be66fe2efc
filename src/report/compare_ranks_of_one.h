// Tells what each run's own findings say of ranks that the other run does not have.
#pragma once

#include "report/compare_lead.h"
#include "stepscope/compare.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Adds a finding for each rank that only the run after has and holds the job up, and leads of those
// and of ranks that only the run before has. Returns ns per step that one costs at most. Nothing
// where no ranks were left out.
double AddRanksOfOneRun(const RunsToCompare& runs, Report& report, Leads& leads);

}  // namespace stepscope::comparison
