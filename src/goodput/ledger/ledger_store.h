// Abstracts where a ledger is kept: segments, and the database for the rest. The ledger above knows
// events; stores below know directories and servers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sharing.h"
#include "goodput/events/notes.h"
#include "goodput/ledger/database.h"
#include "goodput/ledger/ledger_logs.h"
#include "goodput/recorder/segment.h"
#include "goodput/recorder/segment_reader.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // Its name for users: a directory, or an address without password.
  virtual const std::string& name() const = 0;

  // Call first. For writing, creates what is missing except tables.
  virtual Result<void> Connect(Access access) = 0;
  // Creates the tables that only this store has, in the writing transaction.
  virtual Result<void> MakeTables() = 0;

  // Null: none exists yet.
  virtual const Database* database() const = 0;
  // Whether segments are read without the database if it is unreadable.
  virtual bool ReadsWithoutDatabase() const = 0;
  virtual void LeaveDatabase() = 0;
  // Whether the transaction covers segments, so that they are removed before the commit.
  virtual bool SegmentsAreInTransaction() const = 0;

  virtual Result<Listing> List(Notes& note_counts) const = 0;
  virtual Result<SegmentReader> Open(const std::string& segment) const = 0;
  // The bytes of a segment.
  virtual Result<SegmentReader::Source> OpenBytes(const std::string& segment) const = 0;
  // Stores a segment atomically, to be read after the next Sync.
  virtual Result<void> Add(const std::string& segment, const SegmentHeader& header,
                           std::string_view bytes) = 0;
  // Stores the same segment with another header, atomically.
  virtual Result<void> Replace(const std::string& segment, const SegmentHeader& header) = 0;
  // Syncs added segments to disk and has the manifest list them, after these entries.
  virtual Result<void> Sync(const std::vector<ManifestEntry>& entries) = 0;
  // Whether the manifest has all that it had when the database was written last. REQUIRES: a
  // database.
  virtual Result<bool> IsManifestWhole() const { return true; }
  // Forgets what it had.
  virtual Result<void> AcceptManifest() { return {}; }
  // False: it was not there. An error: it still is.
  virtual Result<bool> Remove(const std::string& segment) = 0;

  // The error while reading segments, if any; their readers then saw the end early.
  virtual Result<void> ReadStatus() const = 0;
};

// Opens a directory (folder_store.cc), or PostgreSQL (postgres_store.cc) if the address begins with
// postgresql:// or postgres://. `sharing`: of files that are created; an existing ledger that its
// group may read stays so.
std::unique_ptr<LedgerStore> StoreAt(const std::string& address, Sharing sharing = Sharing::kOwner);

std::unique_ptr<LedgerStore> FolderStoreAt(const std::string& folder, Sharing sharing);
bool IsPostgres(std::string_view address);
std::unique_ptr<LedgerStore> PostgresStoreAt(const std::string& address);

// Whether the error is a lost connection, so that idempotent work may be retried.
bool WasLost(const Error& error);

// Runs the work, and once more after a lost connection.
template <class Ask>
auto RetryIfLost(const Ask& ask) {
  auto answer = ask();
  if (answer || !WasLost(answer.error())) return answer;
  return ask();
}

}  // namespace stepscope::goodput
