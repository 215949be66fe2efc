// Joins traces and the events of a job: which of its steps they show, and whether they are its own.
#pragma once

#include <string>

#include "goodput/accounting/accounting.h"
#include "stepscope/goodput_report.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// The report "walk". Unavailable if the traces are not of this job: `why` says what shows it.
Report WalkReport(const Accounting& accounting, const Partition& whole, const TracedTime& traced);

}  // namespace stepscope::goodput
