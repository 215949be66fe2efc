// Lets DuckDB read a table: a table function for it, and a view of its name.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "query/connection.h"
#include "query/sql_table.h"

namespace stepscope::query {

// The first error of any scan: DuckDB hands on its text alone.
class ScanError {
 public:
  void Set(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = error;
  }
  std::optional<Error> Get() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> first_;
};

// Makes a table function `function` whose rows are the table's. Only the columns that a statement
// needs are read, a part at a time, by as many threads as DuckDB likes.
Result<void> AddFunction(Connection& connection, const std::string& function,
                         std::shared_ptr<const SqlTable> table, std::shared_ptr<ScanError> error);

}  // namespace stepscope::query
