// Keeps the events of jobs in a ledger: import, list, export, compact.
//
//   stepscope::GoodputImport("ledger", {"job.jsonl.gz"});
//   auto answer = stepscope::GoodputReport({.store = "ledger", .job = "job"});
//
// A `store` is a directory, into which recorders write directly and other events are imported. For
// a team it is a PostgreSQL database, given by its address "postgresql://user@host/database". libpq
// reads it, including PGPASSWORD and ~/.pgpass. No answer and no error repeats a password.
//
// Segments hold the events (docs/formats/goodput-segments.md). `ledger.db` (SQLite) or the same
// database holds derived data, and the rollups that replace old events. Any number of processes may
// read while one writes; writers wait for each other.
//
// Each answer is one Report; its notes count notes of the input.
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

// Imports JSON lines of ml-goodput-measurement, Cloud Logging exports and Stepscope's own exports,
// plain or gzip, and directories of recorders. Creates the ledger if missing. Skips events that are
// stored already, so importing again is harmless, also after a kill. Writer and sequence number
// identify an event; without them, its content and the number of equal events before it in this
// import do.
//
// On return everything is on disk. After a failure (full disk, dead server) a directory keeps what
// was written so far, PostgreSQL nothing; the rest can be imported again.
//   metrics  imported, known
//   tables   jobs  job, imported, known
// `group_readable`: what is created is for the owner's group too, else for the owner alone.
// `max_input`: as in GoodputReportOptions.
Result<ReportSet> GoodputImport(const std::string& store, const std::vector<std::string>& files,
                                bool group_readable = false, int64_t max_input = 0);

// True for an address of PostgreSQL, without connecting, and for a directory with segments in or
// below it.
bool IsGoodputLedger(const std::string& store);

// True for an address of PostgreSQL.
bool IsGoodputDatabase(const std::string& store);

// Lists the jobs of the ledger, the worst goodput first.
//   metrics  jobs, events
//   tables   jobs  job, first, last (the job's start and end, as in reports), events, attempts,
//   goodput_ratio, state ("lost": all of its events are), lost_events
Result<ReportSet> GoodputJobs(const std::string& store);

enum class GoodputExportFormat : uint8_t {
  kJsonLines,    // complete: importing it restores the same events
  kCsv,          // as a table, without checkpoint spans
  kOpenMetrics,  // the accounting, in OpenMetrics text
};

struct GoodputExportOptions {
  std::string store;
  std::string job;  // empty: the only job
  GoodputExportFormat format = GoodputExportFormat::kJsonLines;
  // Called with a sentence about what the export lacks.
  std::function<void(const std::string& sentence)> on_problem = {};
};

// Writes the export piece by piece, in event order. Fails if `write` fails.
Result<void> GoodputExport(const GoodputExportOptions& options,
                           const std::function<Result<void>(std::string_view)>& write);

// Gives a job another name. Fails if a recorder may still be writing events of it, or if there is a
// job of that name. A rename that was interrupted can be repeated with `join`, which adds the job
// to one that exists; a job with a rollup cannot be added.
//   metrics  segments
Result<ReportSet> GoodputRename(const std::string& store, const std::string& job,
                                const std::string& to, bool join = false);

// Deletes all events and derived data of a job. Fails if a recorder may still be writing.
//   metrics  segments, removed_bytes
Result<ReportSet> GoodputDelete(const std::string& store, const std::string& job);

// Reads all of a ledger and lists what is damaged or missing by its manifests and closing records.
//   metrics  faults, segments, events (readable ones), unlisted
//   tables   faults  file, fault, job, lost_events, first, last
Result<ReportSet> GoodputCheck(const std::string& store);

// Mends a ledger in a directory: damaged files are set aside as "FILE.damaged", with what is
// readable of them kept; what is lost is no longer expected; segments that no manifest lists get
// listed. Deletes nothing. With `dry_run` only tells what it would do.
//   metrics  repaired, left, listed, lost_events
//   tables   repairs  file, repair, job, lost_events, first, last
Result<ReportSet> GoodputRepair(const std::string& store, bool dry_run = false);

struct GoodputCompactOptions {
  std::string store;
  int64_t keep_raw = 0;        // ns before `now` in which events are kept
  std::optional<int64_t> now;  // absent: now
};

// Rolls up older events: keeps their attempts, one step per minute and a histogram of step times.
// Numbers of the whole job stay the same. Windows of that time are exact to a minute, and so is
// wasted progress of a restart that goes back to it. No longer available: an earlier `at`,
// kMlGoodput, and an export of the events. Removes segments whose events are all rolled up.
//   metrics  rolled_up, removed_bytes
//   tables   jobs  job, rolled_up, raw, rollup_bytes, removed_bytes
Result<ReportSet> GoodputCompact(const GoodputCompactOptions& options);

}  // namespace stepscope
