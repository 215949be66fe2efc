// Writes a table as a Parquet file.
#pragma once

#include <memory>
#include <string>

#include "query/connection.h"
#include "query/sql_table.h"

namespace stepscope::query {

// The file appears under its name once it is complete and on disk. `function`: a name that the
// connection, which reaches files, has no other table for.
Result<void> WriteTable(Connection& connection, const std::string& function,
                        std::shared_ptr<const SqlTable> table, const std::string& file);

}  // namespace stepscope::query
