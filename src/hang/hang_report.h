// Writes the answer about a stuck job.
#pragma once

#include "hang/job.h"
#include "hang/judge.h"
#include "stepscope/report.h"

namespace stepscope::hang {

// The report "hang": its headline is the verdict; tables "roots", "waits", "operations", and where
// the job has stacks "stacks".
Report HangReport(const Job& job, const Judgement& judgement);

}  // namespace stepscope::hang
