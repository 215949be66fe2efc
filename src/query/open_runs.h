// Opens the runs and ledgers that a statement asks about.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "query/ledger_tables.h"
#include "query/report_tables.h"
#include "query/wanted.h"
#include "stepscope/query.h"

namespace stepscope::query {

// Sessions and answers of all runs.
struct OpenRuns {
  std::vector<std::unique_ptr<Session>> sessions;  // that are ours
  std::vector<QueriedRun> runs;
  std::vector<RunAnswer> answers;
  OpenLedgers ledgers;
};

// The runs below the paths, with what is wanted. `stop` counts instead of that of the options.
Result<OpenRuns> OpenPaths(std::span<const std::string> paths, const Wanted& wanted,
                           const QueryOptions& options, const std::stop_token& stop);

// The same of runs that are open.
Result<OpenRuns> AskRuns(std::vector<QueriedRun> runs, const Wanted& wanted,
                         const QueryOptions& options, const std::stop_token& stop);

}  // namespace stepscope::query
