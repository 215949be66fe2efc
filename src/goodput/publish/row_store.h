// Abstracts a database that rows of accounted jobs are published to.
//
// A job's rows are replaced together: readers see those of one publication or of another. Of two
// publications of a job the one with the later version stays, whichever ends first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "goodput/publish/row_text.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What was published of a job.
struct PublishedJob {
  std::string ledger, job;  // as StoredText()
  int64_t version = 0;      // ns since 1970 at which its events were read
  std::string signature;    // of its events then; empty: it may have changed
  int64_t started = 0;      // its start
};

// Changes with the tables; a database has it in its settings.
inline constexpr int64_t kTablesFormat = 1;

class RowStore {
 public:
  virtual ~RowStore() = default;

  // Its name for users, without a password.
  virtual const std::string& name() const = 0;
  // Connects, and creates what is missing.
  virtual Result<void> Open() = 0;
  virtual Result<std::vector<PublishedJob>> Published() = 0;
  // The day before which nothing is kept; absent: all is.
  virtual Result<std::optional<int64_t>> KeptFrom() = 0;
  // What the last cell of each row must be; empty: none is wanted.
  virtual std::string LastCell(int64_t version) const = 0;
  // Replaces the rows of these jobs, of one version. Nothing is written if later versions of some
  // are published: their names are returned.
  virtual Result<std::set<std::string>> Put(const std::vector<PublishedJob>& jobs,
                                            const RowText& rows) = 0;
  virtual Result<void> Forget(const std::vector<PublishedJob>& jobs) = 0;
  // Drops all months before that of `day`, and has KeptFrom() say so. Returns how many.
  virtual Result<int64_t> DropBefore(int64_t day) = 0;
  // Frees what replaced rows take, where that is much.
  virtual Result<void> Tidy() { return {}; }
};

// postgresql://USER@HOST/DATABASE, clickhouse://USER@HOST:PORT/DATABASE (or clickhouses://, by
// TLS). Fails on anything else.
Result<std::unique_ptr<RowStore>> RowStoreAt(const std::string& address);

std::unique_ptr<RowStore> PostgresRowsAt(const std::string& address);
Result<std::unique_ptr<RowStore>> ClickHouseRowsAt(const std::string& address);

}  // namespace stepscope::goodput
