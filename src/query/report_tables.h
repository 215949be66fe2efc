// Tables of reports, of all runs together.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "query/sql_table.h"
#include "stepscope/rank_trace.h"
#include "stepscope/report.h"

namespace stepscope::query {

struct NamedTable {
  std::string schema;  // an analysis, or empty
  std::string name;    // "top"
  std::string title;
  std::shared_ptr<const SqlTable> table;
};

// The answers of several runs, each with the name of its run.
struct RunAnswer {
  std::string run;
  ReportSet answer;
  std::span<const RankTrace> traces = {};  // as Session::Traces()
};

// Every table of every report, with the metrics of each; a table that only some runs have is of
// these alone, and a column that some lack has no value there. Then "findings", "notes", "files",
// "traces" and "runs".
std::vector<NamedTable> ReportTables(const std::vector<RunAnswer>& answers);

}  // namespace stepscope::query
