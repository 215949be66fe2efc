// Reports on a ledger of goodput events in one ReportSet.
#pragma once

#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::server {

// The report "jobs" of all jobs, then the reports of this one; empty: of the first in the table.
Result<ReportSet> AskLedger(const std::string& path, std::string job);

}  // namespace stepscope::server
