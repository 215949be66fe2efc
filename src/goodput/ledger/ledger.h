// A ledger: the logs in a store, and what its database has beside them.
//
// Segments are the truth. The database has what can be derived again (jobs, attempts), and rollups,
// which cannot once their events are removed: a transaction stores a rollup before anything is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "goodput/accounting/jobs.h"
#include "goodput/events/oddities.h"
#include "goodput/ledger/database.h"
#include "goodput/ledger/ledger_logs.h"
#include "goodput/ledger/ledger_store.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What stands for the first events of a job.
struct Rollup {
  int64_t until = kUnknown;                   // all of them are earlier
  int64_t events = 0;                         // of which
  int64_t duplicates = 0;                     // were there already
  int64_t first = kUnknown, last = kUnknown;  // times of these events
  std::string accounting, writers;            // states
};

class Ledger {
 public:
  // To write, what is missing of the store is made. To read, a folder's database that cannot be
  // read is counted, and the segments count alone.
  static Result<Ledger> Open(const std::string& address, Access access);

  // Of a ledger opened to write, which holds the write lock until then: stores the segment.
  Result<void> Add(const std::string& segment, const SegmentHeader& header, std::string_view bytes);

  // The same: has the disk hold what was stored, and removes these segments, of which all is rolled
  // up. Gives those that are gone. Nothing more can be stored.
  Result<std::set<std::string>> Commit(const std::vector<std::string>& remove = {});

  // In the order of their names: those with segments and those that are rolled up.
  std::vector<std::string> JobNames() const;

  // The job meant by `name`: itself, or the only one there is when it is empty. Fails when it is
  // not clear; absent: there is no such job.
  Result<std::optional<std::string>> Choose(const std::string& name) const;

  // How people call it.
  const std::string& name() const { return store_->name(); }
  const Database* database() const { return store_->database(); }
  Result<SegmentReader> OpenSegment(const std::string& name) const { return store_->Open(name); }
  Oddities& oddities() { return oddities_; }

  const std::vector<Log>& LogsOf(const std::string& job) const;
  std::optional<Rollup> RollupOf(const std::string& job) const;

  // Gives the raw events of the job; of each whether an equal one is in the rollup. Whoever does
  // asks in the end whether that went well.
  using RawSink = std::function<void(const Event&, const EventPlace&, bool equal)>;
  void ReadRaw(const std::string& job, Oddities& oddities, const RawSink& sink) const;

  Result<void> ReadWell() const { return store_->ReadWell(); }

  // Accounts for all the job's events. Fails when the rollup leaves no answer to what is asked.
  Result<void> Account(const std::string& name, const ReadJobsOptions& options, Job& job) const;

 private:
  Result<void> Begin(Access access);
  Result<void> LoadDone();

  std::unique_ptr<LedgerStore> store_;
  std::optional<Transaction> transaction_;
  JobLogs logs_;
  std::set<std::string> rolled_up_;                    // jobs
  std::set<std::pair<std::string, int64_t>> skipped_;  // file and number: equal to one rolled up
  mutable Oddities oddities_;
};

// Reads one job of a ledger, as ReadJobs reads files.
Result<Jobs> ReadLedger(const std::string& address, const ReadJobsOptions& options);

}  // namespace stepscope::goodput
