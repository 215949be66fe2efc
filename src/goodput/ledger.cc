// Opening a ledger and reading jobs from it.
#include "goodput/ledger.h"

#include <algorithm>
#include <filesystem>

namespace stepscope::goodput {
namespace {

// `rollups` and `done` are not derived. `done` says how many events of a segment's beginning are
// rolled up, and `skipped` which later ones are equal to one that is.
constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS rollups (job TEXT PRIMARY KEY, until INTEGER, events INTEGER,"
    " duplicates INTEGER, first INTEGER, last INTEGER, accounting BLOB, writers BLOB)",
    "CREATE TABLE IF NOT EXISTS done (job TEXT, file TEXT, events INTEGER,"
    " PRIMARY KEY (job, file)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS skipped (file TEXT, number INTEGER,"
    " PRIMARY KEY (file, number)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS jobs (job TEXT PRIMARY KEY, signature TEXT, first INTEGER,"
    " last INTEGER, events INTEGER, goodput REAL, state TEXT)",
    "CREATE TABLE IF NOT EXISTS attempts (job TEXT, number INTEGER, id TEXT, start INTEGER,"
    " end INTEGER, ended INTEGER, steps INTEGER, first_step INTEGER, last_step INTEGER,"
    " productive INTEGER, PRIMARY KEY (job, number)) WITHOUT ROWID",
};

}  // namespace

// With write: until the end of the ledger nobody else writes.
Result<void> Ledger::OpenDatabase(const std::string& path, bool write) {
  auto db = Database::Open(path, write);
  if (!db) return std::unexpected(db.error());
  db_ = std::make_unique<Database>(std::move(*db));
  if (!write) return {};
  for (const char* sql : kTables) {
    if (auto made = db_->Run(sql); !made) return made;
  }
  auto begun = Transaction::Begin(*db_, true);
  if (!begun) return std::unexpected(begun.error());
  transaction_.emplace(std::move(*begun));
  return {};
}

Result<void> Ledger::Commit() {
  if (!transaction_) return {};
  return transaction_->Commit();
}

Result<void> Ledger::LoadDone() {
  // Whoever makes a ledger makes its tables last: without them nothing is rolled up.
  bool made = false;
  auto loaded = db_->Run("SELECT 1 FROM sqlite_master WHERE name = 'attempts'", {},
                         [&](const Database::Row&) { made = true; });
  if (!loaded || !made) return loaded;
  std::map<std::string, int64_t> done;
  loaded = db_->Run("SELECT file, events FROM done", {},
                    [&](const Database::Row& row) { done[row.Text(0)] = row.Integer(1); });
  if (!loaded) return loaded;
  loaded = db_->Run("SELECT file, number FROM skipped", {}, [&](const Database::Row& row) {
    skipped_.emplace(row.Text(0), row.Integer(1));
  });
  if (!loaded) return loaded;
  loaded = db_->Run("SELECT job FROM rollups", {},
                    [&](const Database::Row& row) { rolled_up_.insert(row.Text(0)); });
  if (!loaded) return loaded;
  for (auto& [job, logs] : logs_) {
    for (Log& log : logs) {
      for (LogFile& file : log) {
        if (const auto found = done.find(file.name); found != done.end()) file.done = found->second;
      }
    }
  }
  return {};
}

Result<Ledger> Ledger::Open(const std::string& folder, bool write) {
  Ledger ledger;
  ledger.folder_ = folder;
  std::error_code failed;
  if (write) std::filesystem::create_directories(folder, failed);
  if (failed) return std::unexpected(Error{failed.message(), folder, ""});
  const std::string path = folder + "/ledger.db";
  const bool wanted = write || std::filesystem::exists(path, failed);
  Result<void> usable;
  if (wanted) usable = ledger.OpenDatabase(path, write);
  if (!usable && write) return std::unexpected(usable.error());
  // Whoever reads lists the segments before he looks into the database: a compaction removes what
  // it has told the database of, so that nothing is missing from both.
  auto logs = ListLogs(folder, ledger.oddities_);
  if (!logs) return std::unexpected(logs.error());
  ledger.logs_ = std::move(*logs);
  if (wanted && usable && !write) {
    auto begun = Transaction::Begin(*ledger.db_, false);
    if (begun) ledger.transaction_.emplace(std::move(*begun));
    if (!begun) usable = std::unexpected(begun.error());
  }
  if (wanted && usable) usable = ledger.LoadDone();
  if (usable) return ledger;
  if (write) return std::unexpected(usable.error());
  ledger.transaction_.reset();
  ledger.db_.reset();
  ledger.oddities_.Add(Oddity::kDatabase);
  return ledger;
}

std::vector<std::string> Ledger::JobNames() const {
  std::set<std::string> names = rolled_up_;
  for (const auto& [name, logs] : logs_) names.insert(name);
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
  return std::unexpected(Error{"the ledger has " + std::to_string(names.size()) + " jobs", some,
                               "choose one with --job NAME"});
}

const std::vector<Log>& Ledger::LogsOf(const std::string& job) const {
  static const std::vector<Log> kNone;
  const auto found = logs_.find(job);
  return found == logs_.end() ? kNone : found->second;
}

std::optional<Rollup> Ledger::RollupOf(const std::string& job) const {
  if (!rolled_up_.contains(job)) return std::nullopt;
  std::optional<Rollup> rollup;
  const auto read = db_->Run(
      "SELECT until, events, duplicates, first, last, accounting, writers FROM rollups"
      " WHERE job = ?1",
      {std::string_view(job)}, [&](const Database::Row& row) {
        rollup = Rollup{.until = row.Integer(0),
                        .events = row.Integer(1),
                        .duplicates = row.Integer(2),
                        .first = row.Integer(3),
                        .last = row.Integer(4),
                        .accounting = row.Text(5),
                        .writers = row.Text(6)};
      });
  if (!read || !rollup) oddities_.Add(Oddity::kDatabase);
  return rollup;
}

void Ledger::ReadRaw(const std::string& job, Oddities& oddities, const RawSink& sink) const {
  const std::vector<Log>& logs = LogsOf(job);
  ReadLogs(folder_, logs, oddities, [&](const Event& event, const EventPlace& place) {
    const bool equal =
        !skipped_.empty() && skipped_.contains({logs[place.log][place.file].name, place.number});
    sink(event, place, equal);
  });
}

namespace {

Result<void> LoadRollup(const Rollup& rollup, const ReadJobsOptions& options, Job& job) {
  const std::string where = std::to_string(rollup.until / 1'000'000'000);
  if (options.ml_goodput) {
    return std::unexpected(Error{
        "the library's numbers need every step, and those before " + where + " s are rolled up",
        job.name, "ask without --mode"});
  }
  if (options.at && *options.at < rollup.last) {
    return std::unexpected(Error{"events before " + where + " s are rolled up", job.name,
                                 "ask for a later --at, or for a --window"});
  }
  StateReader writers(rollup.writers);
  job.duplicates.LoadWriters(writers);
  if (!job.accounting.Load(rollup.accounting) || !writers.ok()) {
    return std::unexpected(Error{"the rollup is damaged", job.name, "restore ledger.db"});
  }
  job.events = rollup.events;
  job.oddities.Add(Oddity::kDuplicate, rollup.duplicates);
  job.oddities.Add(Oddity::kRolledUp, rollup.events);
  return {};
}

}  // namespace

Result<void> Ledger::Account(const std::string& name, const ReadJobsOptions& options,
                             Job& job) const {
  job.name = name;
  if (const auto rollup = RollupOf(name)) {
    if (auto loaded = LoadRollup(*rollup, options, job); !loaded) return loaded;
  }
  Oddities of_logs;
  ReadRaw(name, of_logs, [&](const Event& event, const EventPlace&, bool equal) {
    if (!equal) return TakeEvent(event, options, job);
    ++job.events;
    job.oddities.Add(Oddity::kDuplicate);
  });
  job.oddities.Add(of_logs);
  NoteMissing(job);
  return {};
}

Result<Jobs> ReadLedger(const std::string& folder, const ReadJobsOptions& options) {
  auto ledger = Ledger::Open(folder, false);
  if (!ledger) return std::unexpected(ledger.error());
  const auto name = ledger->Choose(options.job);
  if (!name) return std::unexpected(name.error());
  Jobs jobs;
  InputFile file{.path = folder, .rank = 0};
  if (const std::string chosen = name->value_or(""); name->has_value()) {
    Job& job = jobs.jobs.emplace_back();
    if (auto read = ledger->Account(chosen, options, job); !read) {
      return std::unexpected(read.error());
    }
    file.events = job.events;
    for (const Log& log : ledger->LogsOf(chosen)) {
      for (const LogFile& segment : log) file.bytes += segment.bytes;
    }
  }
  jobs.files.push_back(std::move(file));
  jobs.notes = ledger->oddities().Notes(folder);
  return jobs;
}

}  // namespace stepscope::goodput
