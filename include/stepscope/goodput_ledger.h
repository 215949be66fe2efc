// The goodput ledger keeps the events of jobs.
//
//   stepscope::GoodputImport("ledger", {"job.jsonl.gz"});
//   auto answer = stepscope::GoodputReport({.store = "ledger", .job = "job"});
//
// A `store` is a folder, with nothing to start: recorders write straight into it, and what comes
// from elsewhere is imported. Or, for a team, a database of PostgreSQL, by its address,
// "postgresql://user@host/database": all that libpq reads counts, PGPASSWORD and ~/.pgpass too. No
// answer and no error repeats a password.
//
// Events are in segments (docs/formats/goodput-segments.md), which are the truth; beside them, in
// `ledger.db` (SQLite) or in the same database, is what is derived from them, and the rollups that
// take the place of events when these are old. Any number of processes may read while one writes,
// and those that write wait for each other.
//
// Each answer is one Report; what was odd about the input is in its notes, with counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// Takes the events of JSON lines of ml-goodput-measurement's entries, of Cloud Logging exports and
// of our own exports, plain or gzip. The ledger is made if need be. Events that are there already
// are left out, so importing twice, or once more after a kill, is harmless: an event of a writer
// that numbers its own is told by that number, any other by all it says and by how many equal ones
// came before it in this import.
//
// When it returns, the disk holds all of it. When it fails (a full disk, a dead server), what was
// written so far counts in a folder and nothing in PostgreSQL; the rest can be imported again.
//   metrics  imported, known
//   tables   jobs  job, imported, known
Result<ReportSet> GoodputImport(const std::string& store, const std::vector<std::string>& files);

// Whether there is a ledger: an address of PostgreSQL, which is not asked, or a folder with
// segments in it or in the folders in it.
bool IsGoodputLedger(const std::string& store);

// What is in the ledger.
//   metrics  jobs, events
//   tables   jobs  job, first, last, events, attempts, goodput_ratio, state
Result<ReportSet> GoodputJobs(const std::string& store);

enum class GoodputExportFormat : uint8_t {
  kJsonLines,    // all that an event says: importing it gives the same events
  kCsv,          // the same as a table, without the parts of checkpoints
  kOpenMetrics,  // the accounting, as one scrape of Prometheus
};

struct GoodputExportOptions {
  std::string store;
  std::string job;  // empty: the only one
  GoodputExportFormat format = GoodputExportFormat::kJsonLines;
};

// Gives the export piece by piece, in the order of the events. `write` may say that it cannot.
Result<void> GoodputExport(const GoodputExportOptions& options,
                           const std::function<Result<void>(std::string_view)>& write);

struct GoodputCompactOptions {
  std::string store;
  int64_t keep_raw = 0;        // events of the last so many ns stay as they are
  std::optional<int64_t> now;  // absent: now
};

// Rolls older events up: what their attempts came to, and of their steps one a minute, with a
// histogram of all step times. No number of the whole job changes. Windows of that time are exact
// to a minute, and so is what a restart loses that goes back to before the raw events. What can no
// longer be asked is an earlier `at`, the numbers of kMlGoodput, and an export of the events.
// Segments of which nothing is left are removed.
//   metrics  rolled_up, removed_bytes
//   tables   jobs  job, rolled_up, raw, rollup_bytes, removed_bytes
Result<ReportSet> GoodputCompact(const GoodputCompactOptions& options);

}  // namespace stepscope
