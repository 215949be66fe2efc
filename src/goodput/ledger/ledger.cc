// Opens a ledger and reads jobs from it.
#include "goodput/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/nearest_name.h"
#include "base/stop.h"
#include "base/time_units.h"
#include "goodput/ledger/gone_jobs.h"
#include "goodput/ledger/sqlite.h"

namespace stepscope::goodput {
namespace {

// `rollups` and `done` are not derived. `done` holds how many leading events of a segment are
// rolled up, `skipped` which later ones equal a rolled-up one. {} is the type of texts and bytes.
constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS rollups (job {0} PRIMARY KEY, until BIGINT, events BIGINT,"
    " duplicates BIGINT, first BIGINT, last BIGINT, accounting {0}, writers {0})",
    "CREATE TABLE IF NOT EXISTS done (job {0}, file {0}, events BIGINT, PRIMARY KEY (job, file))",
    "CREATE TABLE IF NOT EXISTS skipped (file {0}, number BIGINT, PRIMARY KEY (file, number))",
    "CREATE TABLE IF NOT EXISTS jobs (job {0} PRIMARY KEY, signature {0}, first BIGINT,"
    " last BIGINT, events BIGINT, goodput DOUBLE PRECISION, state {0})",
    "CREATE TABLE IF NOT EXISTS attempts (job {0}, number BIGINT, id {0}, start BIGINT,"
    " \"end\" BIGINT, ended BIGINT, steps BIGINT, first_step BIGINT, last_step BIGINT,"
    " productive BIGINT, PRIMARY KEY (job, number))",
};
// Created last; without it nothing is rolled up.
constexpr const char* kLastTable = "attempts";

// Of later versions; ledgers of earlier ones get them when they are written to.
constexpr const char* kLabels = "labels";
constexpr const char* kMakeLabels =
    "CREATE TABLE IF NOT EXISTS labels (job {0}, name {0}, value {0}, PRIMARY KEY (job, name))";
constexpr std::pair<const char*, const char*> kLaterTables[] = {{kLabels, kMakeLabels},
                                                                {kGoneJobs, kMakeGoneJobs}};

Result<void> Make(const Database& db, const char* table) {
  const std::string sql = fmt::format(fmt::runtime(table), db.BytesType());
  return db.Run(sql.c_str());
}

Result<void> MakeTables(LedgerStore& store) {
  const Database& db = *store.database();
  const auto made = db.HasTable(kLastTable);
  if (!made) return std::unexpected(made.error());
  if (!*made) {
    if (auto own = store.MakeTables(); !own) return own;
    for (const char* table : kTables) {
      if (auto one = Make(db, table); !one) return one;
    }
  }
  for (const auto& [name, table] : kLaterTables) {
    const auto there = db.HasTable(name);
    if (!there) return std::unexpected(there.error());
    if (*there) continue;
    if (auto one = Make(db, table); !one) return one;
  }
  return {};
}

}  // namespace

// For writing: holds the write lock for the lifetime of the ledger.
Result<void> Ledger::Begin(Access access) {
  auto begun = Transaction::Begin(*database(), access);
  if (!begun) return std::unexpected(begun.error());
  transaction_.emplace(std::move(*begun));
  return access == Access::kRead ? Result<void>() : MakeTables(*store_);
}

Result<void> Ledger::Add(const std::string& segment, const SegmentHeader& header,
                         std::string_view bytes) {
  return store_->Add(segment, header, bytes);
}

std::vector<ManifestEntry> Ledger::GivenUp(const std::string& job) const {
  std::vector<ManifestEntry> entries;
  std::ranges::copy_if(given_up_, std::back_inserter(entries),
                       [&](const ManifestEntry& entry) { return entry.job == job; });
  return entries;
}

bool Ledger::IsRolledUp(const std::string& segment) const {
  const auto found = gone_.find(segment);
  return found != gone_.end() && found->second.kind == EntryKind::kRolledUp;
}

std::vector<Note> Ledger::InputNotes(const std::string* job) const {
  std::vector<Note> notes = NotesOfFaults(faults_, name(), job);
  std::ranges::move(note_counts_.List(name()), std::back_inserter(notes));
  return notes;
}

Result<Ledger::Removed> Ledger::Commit(const std::vector<std::string>& remove, EntryKind why,
                                       const std::vector<std::string>& removed_before) {
  Removed removed;
  if (!transaction_) return removed;
  std::vector<ManifestEntry> entries;
  const std::map<std::string, std::string> jobs = JobsOfSegments();
  for (const std::vector<std::string>* names : {&remove, &removed_before}) {
    for (const std::string& name : *names) {
      const auto job = jobs.find(name);
      entries.push_back(
          {.kind = why, .name = name, .job = job == jobs.end() ? std::string() : job->second});
    }
  }
  for (const std::string& name : found_)
    entries.push_back({.kind = EntryKind::kFound, .name = name});
  const auto remove_all = [&] {
    for (const std::string& name : remove) {
      const auto done = store_->Remove(name);
      if (!done)
        removed.failed.push_back(done.error());
      else if (*done)
        removed.gone.insert(name);
    }
  };
  if (store_->SegmentsAreInTransaction()) remove_all();
  if (auto read = store_->ReadStatus(); !read) return std::unexpected(read.error());
  if (auto synced = store_->Sync(entries); !synced) return std::unexpected(synced.error());
  if (auto done = transaction_->Commit(); !done) return std::unexpected(done.error());
  if (!store_->SegmentsAreInTransaction()) remove_all();
  return removed;
}

Result<void> Ledger::LoadDone() {
  const Database* const db = database();
  const auto made = db->HasTable(kLastTable);
  if (!made) return std::unexpected(made.error());
  std::map<std::string, int64_t> done;
  if (!*made) AddMissingRollups(done);
  if (!*made) return {};
  auto loaded = db->Run("SELECT file, events FROM done", {},
                        [&](const Database::Row& row) { done[row.Text(0)] = row.Integer(1); });
  if (!loaded) return loaded;
  loaded = db->Run("SELECT file, number FROM skipped", {}, [&](const Database::Row& row) {
    skipped_.emplace(row.Text(0), row.Integer(1));
  });
  if (!loaded) return loaded;
  loaded = db->Run("SELECT job FROM rollups", {},
                   [&](const Database::Row& row) { rolled_up_.insert(row.Text(0)); });
  if (!loaded) return loaded;
  AddMissingRollups(done);
  if (auto whole = AddMissingManifest(); !whole) return whole;
  for (auto& [job, logs] : logs_) {
    for (Log& log : logs) {
      for (LogFile& file : log) {
        if (const auto found = done.find(file.name); found != done.end()) file.done = found->second;
      }
    }
  }
  return {};
}

// A damaged one is told already.
Result<void> Ledger::AddMissingManifest() {
  const auto whole = store_->IsManifestWhole();
  if (!whole) return std::unexpected(whole.error());
  const bool told =
      std::ranges::find(faults_, kLedgerManifest, &SegmentFault::file) != faults_.end();
  if (!*whole && !told)
    faults_.push_back({.kind = FaultKind::kNoManifest, .file = std::string(kLedgerManifest)});
  return {};
}

// Segments that a rollup replaced, where the database knows no such rollup: one fault for each job.
void Ledger::AddMissingRollups(const std::map<std::string, int64_t>& done) {
  std::map<std::string, SegmentFault> jobs;
  const std::map<std::string, std::string> segments = JobsOfSegments();
  for (const auto& [name, entry] : gone_) {
    if (entry.kind != EntryKind::kRolledUp || done.contains(name) || segments.contains(name)) {
      continue;
    }
    SegmentFault& fault = jobs[entry.job];
    fault.files.push_back(name);
  }
  for (auto& [job, fault] : jobs) {
    fault.kind = FaultKind::kNoRollup;
    fault.file = "ledger.db";
    fault.job = job;
    faults_.push_back(std::move(fault));
  }
}

std::map<std::string, std::string> Ledger::JobsOfSegments() const {
  std::map<std::string, std::string> jobs;
  for (const auto& [job, logs] : logs_) {
    for (const Log& log : logs) {
      for (const LogFile& file : log) jobs[file.name] = job;
    }
  }
  return jobs;
}

Result<Ledger> Ledger::Open(const std::string& address, Access access, Sharing sharing) {
  Ledger ledger;
  ledger.store_ = StoreAt(address, sharing);
  LedgerStore& store = *ledger.store_;
  const bool alone = access == Access::kRead && store.ReadsWithoutDatabase();
  Result<void> usable = store.Connect(access);
  if (usable && store.database() != nullptr) usable = ledger.Begin(access);
  if (!usable && !alone) return std::unexpected(usable.error());
  // Readers list segments before the transaction's first read, which fixes its snapshot. A
  // compaction removes segments only after it has committed their rollup, so nothing is missing
  // from both.
  auto listing = store.List(ledger.note_counts_);
  if (!listing) return std::unexpected(listing.error());
  ledger.logs_ = std::move(listing->logs);
  ledger.faults_ = std::move(listing->faults);
  ledger.given_up_ = std::move(listing->manifest.lost);
  ledger.found_before_ = std::move(listing->manifest.found);
  ledger.gone_ = std::move(listing->manifest.gone);
  ledger.listed_ = std::move(listing->manifest.listed);
  ledger.unreadable_ = std::move(listing->unreadable);
  if (usable && store.database() != nullptr) usable = ledger.LoadDone();
  if (usable && store.database() == nullptr) ledger.AddMissingRollups({});
  if (usable) {
    ledger.SettleFound();
    return ledger;
  }
  if (!alone) return std::unexpected(usable.error());
  // Without its rollups the answer would be of a part. Damage is told as what is missing; who may
  // not write where the database is, may still read the segments.
  if (IsLackOfResources(usable.error())) return std::unexpected(usable.error());
  const size_t faults = ledger.faults_.size();
  ledger.AddMissingRollups({});
  const bool needed = ledger.faults_.size() > faults;
  if (needed && !IsDamage(usable.error())) return std::unexpected(usable.error());
  ledger.transaction_.reset();
  store.LeaveDatabase();
  ledger.SettleFound();
  ledger.note_counts_.Add(NoteKind::kDatabase);
  return ledger;
}

std::vector<std::string> Ledger::JobNames() const {
  std::set<std::string> names = rolled_up_;
  for (const auto& [name, logs] : logs_) names.insert(name);
  // A job of which everything is missing is a job still, before a repair and after it.
  for (const SegmentFault& fault : faults_) {
    if (!IsOfManifest(fault.kind)) names.insert(fault.job);
  }
  for (const ManifestEntry& entry : given_up_) {
    if (!entry.job.empty()) names.insert(entry.job);
  }
  return {names.begin(), names.end()};
}

Result<std::optional<std::string>> Ledger::Choose(const std::string& name) const {
  const std::vector<std::string> names = JobNames();
  if (!name.empty()) {
    if (std::ranges::find(names, name) == names.end()) return std::nullopt;
    return name;
  }
  if (names.empty()) return std::nullopt;
  if (names.size() == 1) return names.front();
  std::string some;
  for (size_t k = 0; k < std::min(names.size(), kMostJobs); ++k) {
    some += (k == 0 ? "'" : ", '") + names[k] + "'";
  }
  if (names.size() > kMostJobs) some += ", ...";
  return std::unexpected(
      Error{"cannot select a job: the ledger has " + std::to_string(names.size()) + " jobs", some,
            "set `job`"});
}

const std::vector<Log>& Ledger::LogsOf(const std::string& job) const {
  static const std::vector<Log> kNone;
  const auto found = logs_.find(job);
  return found == logs_.end() ? kNone : found->second;
}

Result<std::optional<Rollup>> Ledger::RollupOf(const std::string& job) const {
  if (!HasRollup(job)) return std::nullopt;
  std::optional<Rollup> rollup;
  const auto read = database()->Run(
      "SELECT until, events, duplicates, first, last, accounting, writers FROM rollups"
      " WHERE job = $1",
      {std::string_view(job)}, [&](const Database::Row& row) {
        rollup = Rollup{.until = row.Integer(0),
                        .events = row.Integer(1),
                        .duplicates = row.Integer(2),
                        .first = row.Integer(3),
                        .last = row.Integer(4),
                        .accounting = row.Text(5),
                        .writers = row.Text(6)};
      });
  if (!read && !IsDamage(read.error())) return std::unexpected(read.error());
  if (!read || !rollup) note_counts_.Add(NoteKind::kDatabase);
  return rollup;
}

void Ledger::ReadRaw(const std::string& job, Notes& note_counts, const RawSink& sink) const {
  const std::vector<Log>& logs = LogsOf(job);
  const auto open = [this](const std::string& name) { return OpenSegment(name); };
  ReadLogs(open, logs, note_counts, [&](const Event& event, const EventPlace& place) {
    const bool equal =
        !skipped_.empty() && skipped_.contains({logs[place.log][place.file].name, place.number});
    sink(event, place, equal);
  });
}

namespace {

Result<void> LoadRollup(const Rollup& rollup, const ReadJobsOptions& options, Job& job) {
  const std::string where = std::to_string(rollup.until.value_or(0) / kSecond);
  if (options.ml_goodput) {
    return std::unexpected(
        Error{"cannot compute the library's numbers: steps before " + where + " s are rolled up",
              job.name, "set another `mode`"});
  }
  if (options.at && *options.at < rollup.last) {
    return std::unexpected(Error{"cannot answer: events before " + where + " s are rolled up",
                                 job.name, "set a later `at`, or a `window`"});
  }
  StateReader writers(rollup.writers);
  job.duplicates.LoadWriters(writers);
  if (!job.accounting.Load(rollup.accounting) || !writers.ok()) {
    return std::unexpected(
        Error{"cannot read the rollup: it is damaged", job.name, "restore the ledger's database"});
  }
  job.events = rollup.events;
  job.note_counts.Add(NoteKind::kDuplicate, rollup.duplicates);
  job.note_counts.Add(NoteKind::kRolledUp, rollup.events);
  return {};
}

}  // namespace

namespace {

// Labels of rolled-up events.
Result<void> LoadLabels(const Database& db, const std::string& name, Labels& labels) {
  const auto made = db.HasTable(kLabels);
  if (!made) return std::unexpected(made.error());
  if (!*made) return {};
  return db.Run("SELECT name, value FROM labels WHERE job = $1", {std::string_view(name)},
                [&](const Database::Row& row) { labels[row.Text(0)] = row.Text(1); });
}

}  // namespace

Result<void> Ledger::Account(const std::string& name, const ReadJobsOptions& options,
                             Job& job) const {
  job.name = name;
  const auto rollup = RollupOf(name);
  if (!rollup) return std::unexpected(rollup.error());
  if (*rollup) {
    if (auto loaded = LoadRollup(**rollup, options, job); !loaded) return loaded;
    if (auto loaded = LoadLabels(*database(), name, job.labels); !loaded) return loaded;
  }
  Notes of_logs;
  StopChecks checks;
  ReadRaw(name, of_logs, [&](const Event& event, const EventPlace&, bool equal) {
    checks.Turn();
    if (!equal) return TakeEvent(event, options, job);
    ++job.events;
    job.note_counts.Add(NoteKind::kDuplicate);
  });
  job.note_counts.Add(of_logs);
  NoteMissing(job);
  return ReadStatus();
}

namespace {

Result<Jobs> ReadOnce(const std::string& address, const ReadJobsOptions& options) {
  auto ledger = Ledger::Open(address, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  const auto name = ledger->Choose(options.job);
  if (!name) return std::unexpected(name.error());
  Jobs jobs;
  InputFile file{.path = ledger->name(), .rank = 0};
  if (const std::optional<std::string>& choice = *name) {
    const std::string& chosen = *choice;
    Job& job = jobs.jobs.emplace_back();
    if (auto read = ledger->Account(chosen, options, job); !read) {
      return std::unexpected(read.error());
    }
    file.events = job.events;
    FoundLost found = ledger->FoundIn(chosen, job.note_counts);
    if (options.at) found.gaps.clear();  // events are skipped by time, which leaves gaps
    jobs.lead = ledger->Lead(found, &chosen);
    for (const Log& log : ledger->LogsOf(chosen)) {
      for (const LogFile& segment : log) file.bytes += segment.bytes;
    }
  }
  jobs.files.push_back(std::move(file));
  jobs.notes = ledger->InputNotes(*name ? &**name : nullptr);
  if (!*name) jobs.known = ledger->JobNames();
  return jobs;
}

}  // namespace

std::string HintOfJobs(const std::string& name, std::vector<std::string> known,
                       const std::string& store) {
  std::string near;
  for (int k = 0; k < 3; ++k) {
    const std::string one = NearestName(name, known);
    if (one.empty()) break;
    near += (k == 0 ? "did you mean '" : ", '") + one + "'";
    std::erase(known, one);
  }
  const std::string list = "list the jobs of " + store;
  return near.empty() ? list : near + "? Or " + list;
}

Result<Jobs> ReadLedger(const std::string& address, const ReadJobsOptions& options) {
  return RetryIfLost([&] { return ReadOnce(address, options); });
}

}  // namespace stepscope::goodput
