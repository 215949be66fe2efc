// Compares two runs for a report.html.
#pragma once

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope::server {

// What `stepscope compare BEFORE AFTER` says: of runs with different numbers of ranks, about the
// ranks that both have. Fails as AskBoth() does where they have none in common.
Result<ReportSet> CompareSessions(const Session& before, const Session& after);

}  // namespace stepscope::server
