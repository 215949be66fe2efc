// Events of all ranks of all runs as a table: one row each, read a rank at a time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "query/sql_table.h"
#include "stepscope/query.h"

namespace stepscope::query {

struct EventScope {
  std::vector<QueriedRun> runs;
  std::vector<int64_t> ranks;  // empty: all
  int threads = 0;             // that read
  std::stop_token stop;
};

// Tables of events: "events" has all, "kernels", "operators" and so on those of some kinds.
struct EventTableName {
  std::string_view name;
  std::vector<std::string> kinds;  // as EventFilter has them
};
const std::vector<EventTableName>& EventTables();

// The recorded ranks of a run that the scope has.
std::vector<int64_t> RanksOf(const QueriedRun& run, const EventScope& scope);

// `run`, then every column of events.
std::vector<TableColumn> EventColumns();

std::shared_ptr<const SqlTable> MakeEventTable(const EventTableName& which, EventScope scope);

}  // namespace stepscope::query
