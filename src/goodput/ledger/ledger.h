// Represents a ledger: logs in a store, and a database with derived data and rollups.
//
// Segments are the source. The database has data that can be derived again (jobs, attempts), and
// rollups, which cannot once their events are removed. A rollup is committed before any removal.
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
#include "goodput/events/notes.h"
#include "goodput/ledger/database.h"
#include "goodput/ledger/ledger_logs.h"
#include "goodput/ledger/ledger_store.h"
#include "goodput/ledger/writer_numbers.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Replaces the first events of a job.
struct Rollup {
  std::optional<int64_t> until;        // all of them are earlier
  int64_t events = 0;                  // events in it
  int64_t duplicates = 0;              // duplicates among them
  std::optional<int64_t> first, last;  // times of these events
  std::string accounting, writers;     // states
};

// The numbers of writers in it.
Duplicates NumbersOf(const Rollup& rollup);

class Ledger {
 public:
  // For writing, creates missing parts of the store. For reading, an unreadable database of a
  // directory is counted and only segments are used.
  static Result<Ledger> Open(const std::string& address, Access access,
                             Sharing sharing = Sharing::kOwner);

  // Stores a segment, which appears with Commit or Record. REQUIRES: opened for writing, which
  // holds the write lock.
  Result<void> Add(const std::string& segment, const SegmentHeader& header, std::string_view bytes);

  // Gives the segment another header. REQUIRES: as for Add.
  Result<void> Replace(const std::string& segment, const SegmentHeader& header) {
    return store_->Replace(segment, header);
  }

  struct Removed {
    std::set<std::string> gone;
    std::vector<Error> failed;  // of segments that are still there
  };

  // Syncs, commits, and removes these segments, which are `why`: rolled up or deleted.
  // `removed_before`: others of which the same holds. Nothing can be stored afterwards. REQUIRES:
  // opened for writing.
  Result<Removed> Commit(const std::vector<std::string>& remove = {},
                         EntryKind why = EntryKind::kRolledUp,
                         const std::vector<std::string>& removed_before = {});

  // Has the manifest say so, on disk. REQUIRES: as for Add.
  Result<void> Record(const std::vector<ManifestEntry>& entries) { return store_->Sync(entries); }

  // Whatever the manifest is, from the next Record on it is the one to be missed. REQUIRES: as for
  // Add.
  Result<void> AcceptManifest() { return store_->AcceptManifest(); }

  bool IsListed(const std::string& segment) const { return listed_.contains(segment); }
  // What manifests say of it; null: nothing.
  const ManifestEntry* Listed(const std::string& segment) const {
    const auto found = listed_.find(segment);
    return found == listed_.end() ? nullptr : &found->second;
  }
  bool IsRolledUp(const std::string& segment) const;
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  Result<SegmentReader::Source> OpenBytes(const std::string& segment) const {
    return store_->OpenBytes(segment);
  }

  // How many events that the segment had lost were there again at an import.
  int64_t FoundOf(const std::string& segment) const {
    const auto found = found_before_.find(segment);
    return found == found_before_.end() ? 0 : found->second;
  }

  // What repairs gave up of this job.
  std::vector<ManifestEntry> GivenUp(const std::string& job) const;

  // Events of this job that are missing, or were before repairs; nothing: an unknown number.
  std::optional<int64_t> LostEvents(const std::string& job) const;

  // What is less in it than its manifests say.
  const std::vector<SegmentFault>& faults() const { return faults_; }
  // What reading all of the job has found lost beyond this, by the counts of its notes, which are
  // corrected: what is in other jobs or there again is not missing.
  FoundLost FoundIn(const std::string& job, Notes& counts) const;
  // The numbers that writers have in all jobs. Reads all segments, once.
  const LedgerNumbers& Numbers() const;
  const std::vector<ManifestEntry>& given_up() const { return given_up_; }
  // What of all this is lost of a job, or of all, as sentences and a space that lead the answer.
  // Empty: nothing.
  Phrase Lead(const FoundLost& found, const std::string* job = nullptr) const {
    return LeadOf(faults_, given_up_, found, job);
  }
  // The notes of the input: those faults first.
  std::vector<Note> InputNotes(const std::string* job = nullptr) const;

  // Names of jobs with segments or rollups, sorted.
  std::vector<std::string> JobNames() const;

  // Resolves `name`: itself, or the only job if empty. Fails if ambiguous; absent if there is no
  // such job.
  Result<std::optional<std::string>> Choose(const std::string& name) const;

  // Its name for users.
  const std::string& name() const { return store_->name(); }
  const Database* database() const { return store_->database(); }
  Result<SegmentReader> OpenSegment(const std::string& name) const { return store_->Open(name); }
  Notes& note_counts() { return note_counts_; }

  const std::vector<Log>& LogsOf(const std::string& job) const;
  bool HasRollup(const std::string& job) const { return rolled_up_.contains(job); }
  // Nothing: there is none, or it is damaged, which is counted. Fails if the database cannot be
  // read now.
  Result<std::optional<Rollup>> RollupOf(const std::string& job) const;

  // Reads the raw events of the job, each with whether the rollup has an equal one. Callers check
  // ReadStatus() afterwards.
  using RawSink = std::function<void(const Event&, const EventPlace&, bool equal)>;
  void ReadRaw(const std::string& job, Notes& note_counts, const RawSink& sink) const;

  Result<void> ReadStatus() const { return store_->ReadStatus(); }

  // Accounts for all events of the job. Fails if the rollup cannot answer the query.
  Result<void> Account(const std::string& name, const ReadJobsOptions& options, Job& job) const;

 private:
  Result<void> Begin(Access access);
  Result<void> LoadDone();
  std::map<std::string, std::string> JobsOfSegments() const;  // job by segment
  Result<void> AddMissingManifest();
  void SettleFound();
  void SettleGivenUp();
  void SettleFaults();
  bool IsSettled(SegmentFault& fault) const;
  void TakeWhatIsLeft(SegmentFault& fault) const;
  void AddDamage(const std::string& job, FoundLost& found) const;
  void AddMissingRollups(const std::map<std::string, int64_t>& done);

  std::unique_ptr<LedgerStore> store_;
  std::optional<Transaction> transaction_;
  JobLogs logs_;
  std::vector<SegmentFault> faults_;
  std::vector<ManifestEntry> given_up_;          // by repairs
  std::set<std::string> found_;                  // of these, what is there again: names
  std::map<std::string, int64_t> found_before_;  // events by segment that has lost them
  mutable std::optional<LedgerNumbers> numbers_;
  std::map<std::string, ManifestEntry> gone_;          // segments that may be missing
  std::map<std::string, ManifestEntry> listed_;        // segments that must not
  std::vector<std::string> unreadable_;                // segments that no manifest lists
  std::set<std::string> rolled_up_;                    // jobs
  std::set<std::pair<std::string, int64_t>> skipped_;  // file and number: equal to one rolled up
  mutable Notes note_counts_;
};

// What to do where a ledger has no job of this name: the nearest of its names, at most three, or
// that they can be listed.
std::string HintOfJobs(const std::string& name, std::vector<std::string> known,
                       const std::string& store);

// Reads one job of a ledger, as ReadJobs reads files.
Result<Jobs> ReadLedger(const std::string& address, const ReadJobsOptions& options);

}  // namespace stepscope::goodput
