// Gives a connection its tables.
#pragma once

#include <string>
#include <vector>

#include "query/connection.h"
#include "query/event_table.h"
#include "query/open_runs.h"
#include "query/scan.h"

namespace stepscope::query {

// The tables of events, of ledgers, and those of the answers. The sessions outlive them.
std::vector<NamedTable> TablesOf(const OpenRuns& open, const EventScope& scope);

// "kernels.top", "events".
std::string FullName(const NamedTable& table);

// Makes a view for each in the schema of its analysis.
Result<void> AddTables(Connection& connection, const std::vector<NamedTable>& tables,
                       const std::shared_ptr<ScanError>& error);

}  // namespace stepscope::query
