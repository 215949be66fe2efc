// Where a ledger is kept: its segments, and the database beside them. What a ledger knows about
// events is above this; what a folder or a server is stays below.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "goodput/events/oddities.h"
#include "goodput/ledger/database.h"
#include "goodput/ledger/ledger_logs.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // How people call it: a folder, or an address without its password.
  virtual const std::string& name() const = 0;

  // Before anything else. To write, what is missing is made, but for tables.
  virtual Result<void> Connect(Access access) = 0;
  // The tables that this store alone has. Within the transaction that writes.
  virtual Result<void> MakeTables() = 0;

  // Null: there is none yet.
  virtual const Database* database() const = 0;
  // Whether segments are read where the database cannot be; and then no more is asked of it.
  virtual bool ReadsWithoutDatabase() const = 0;
  virtual void LeaveDatabase() = 0;
  // Whether the transaction covers segments too, so that they are removed before it is committed.
  virtual bool SegmentsAreInTransaction() const = 0;

  virtual Result<JobLogs> List(Oddities& oddities) const = 0;
  virtual Result<SegmentReader> Open(const std::string& segment) const = 0;
  // The segment of this job appears whole or not at all.
  virtual Result<void> Add(const std::string& segment, const SegmentHeader& header,
                           std::string_view bytes) = 0;
  // Has the disk hold what was added.
  virtual Result<void> Sync() = 0;
  // False: it is still there.
  virtual bool Remove(const std::string& segment) = 0;

  // What went wrong while segments were read, whose readers then saw the end of them.
  virtual Result<void> ReadWell() const = 0;
};

// A folder (folder_store.cc), or a database of PostgreSQL (postgres_store.cc): the address begins
// with postgresql:// or postgres://.
std::unique_ptr<LedgerStore> StoreAt(const std::string& address);

std::unique_ptr<LedgerStore> FolderStoreAt(const std::string& folder);
bool IsPostgres(std::string_view address);
std::unique_ptr<LedgerStore> PostgresStoreAt(const std::string& address);

// Whether the connection to a database was lost in the middle: then once more is worth a try, of
// what is harmless to do twice.
bool WasLost(const Error& error);

// Gives the answer, of a second try where that is worth it.
template <class Ask>
auto AskAgainIfLost(const Ask& ask) {
  auto answer = ask();
  if (answer || !WasLost(answer.error())) return answer;
  return ask();
}

}  // namespace stepscope::goodput
