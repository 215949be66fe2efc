// Implements GoodputPublish(): accounts for jobs that may have changed, some at a time.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/time_units.h"
#include "base/unless_stopped.h"
#include "base/wall_clock.h"
#include "goodput/ledger/gone_jobs.h"
#include "goodput/ledger/job_signature.h"
#include "goodput/ledger/ledger.h"
#include "goodput/publish/row_store.h"
#include "goodput/rows/accounted_job.h"
#include "goodput/rows/job_rows.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/goodput_publish.h"

namespace stepscope {
namespace goodput {
namespace {

// Rows that are published together: some jobs'.
constexpr int64_t kRowsAtOnce = 100'000;

// Changes with what rows hold.
constexpr int kRowsFormat = 2;

// A moment that no other publication has: of each millisecond one of a million.
int64_t VersionOf(int64_t now) {
  std::random_device random;
  return now / kMillisecond * kMillisecond + static_cast<int64_t>(random() % 1'000'000);
}

std::string NameOf(const GoodputPublishOptions& options, const Ledger& ledger) {
  if (!options.ledger_name.empty()) return options.ledger_name;
  if (IsGoodputDatabase(options.store)) return ledger.name();
  std::error_code failed;
  const auto path = std::filesystem::canonical(options.store, failed);
  return failed ? options.store : path.string();
}

struct Counts {
  int64_t jobs = 0, published = 0, unchanged = 0, removed = 0, rows = 0, dropped = 0;
  int64_t absent = 0, lost = 0;      // that stay though the ledger has no rows of them
  std::string absent_job, lost_job;  // the first of these
};

class Publication {
 public:
  // `version`: a moment before the ledger was opened.
  Publication(const GoodputPublishOptions& options, int64_t version, const Ledger& ledger,
              RowStore& store)
      : options_(options),
        ledger_(ledger),
        store_(store),
        now_(options.now.value_or(WallClock())),
        version_(version),
        name_(StoredText(NameOf(options, ledger))) {}

  Result<void> Run() {
    const std::vector<std::string> names = ledger_.JobNames();
    if (auto there = CheckLedger(names); !there) return there;
    if (auto kept = Keep(); !kept) return kept;
    if (auto known = LoadPublished(); !known) return known;
    counts_.jobs = std::ssize(names);
    for (size_t j = 0; j < names.size(); ++j) {
      if (auto added = AddJob(names[j]); !added) return added;
      if (rows_ >= kRowsAtOnce) {
        if (auto put = Put(); !put) return put;
      }
      if (options_.on_progress) options_.on_progress(j + 1, names.size());
    }
    if (auto put = Put(); !put) return put;
    if (auto removed = RemoveGone(); !removed) return removed;
    return store_.Tidy();
  }

  const Counts& counts() const { return counts_; }

 private:
  struct Changed {
    AccountedJob job;
    PublishedJob stamp;
  };

  // A directory of a disk that is not mounted is no ledger without jobs.
  Result<void> CheckLedger(const std::vector<std::string>& names) const {
    if (!names.empty() || ledger_.database() != nullptr) return {};
    return std::unexpected(Error{"cannot publish: there is no ledger in this directory",
                                 ledger_.name(), "check the path, and that its disk is mounted"});
  }

  // Drops old months, and takes care that they do not come back.
  Result<void> Keep() {
    if (options_.keep_months > 0) {
      const int64_t month = MonthOf(DayOf(now_)) - options_.keep_months;
      const auto dropped = store_.DropBefore(FirstDayOf(month));
      if (!dropped) return std::unexpected(dropped.error());
      counts_.dropped = *dropped;
    }
    const auto kept = store_.KeptFrom();
    if (!kept) return std::unexpected(kept.error());
    from_day_ = kept->value_or(INT64_MIN);
    return {};
  }

  Result<void> LoadPublished() {
    const auto published = store_.Published();
    if (!published) return std::unexpected(published.error());
    for (const PublishedJob& job : *published) {
      if (job.ledger == name_) {
        known_[job.job] = job;
      } else {
        others_.emplace(std::pair(job.job, job.started), job.ledger);
      }
    }
    return {};
  }

  Result<void> AddJob(const std::string& name) {
    std::string signature = SignatureOf(ledger_, name);
    if (!signature.empty())
      signature = fmt::format("{} {} {}", kRowsFormat, options_.chips_per_job, signature);
    const std::string stored = StoredText(name);
    const auto known = known_.find(stored);
    if (known != known_.end() && !signature.empty() && known->second.signature == signature) {
      seen_.insert(stored);
      ++counts_.unchanged;
      return {};
    }
    Job job;
    if (auto read = ledger_.Account(name, {}, job); !read) return read;
    auto accounted = AccountFor(job, options_.now, options_.chips_per_job);
    if (!accounted) {
      if (ledger_.LostEvents(name) != 0) lost_.insert(stored);
      return {};
    }
    // A job that may still run has other rows each second.
    if (accounted->state == "running") signature.clear();
    if (auto own = CheckOwn(stored, accounted->start); !own) return own;
    seen_.insert(stored);
    changed_.push_back({.job = {},
                        .stamp = {.ledger = name_,
                                  .job = stored,
                                  .version = version_,
                                  .signature = signature,
                                  .started = accounted->start}});
    rows_ += std::ssize(accounted->days) * 6 + std::ssize(accounted->disruptions);
    changed_.back().job = std::move(*accounted);
    return {};
  }

  // One ledger under two names would count its jobs twice.
  Result<void> CheckOwn(const std::string& job, int64_t started) const {
    const auto other = others_.find({job, started});
    if (other == others_.end()) return {};
    return std::unexpected(
        Error{fmt::format("cannot publish: the job '{}' that began at the same moment is published "
                          "from the ledger '{}'",
                          job, other->second),
              name_, "if it is the same ledger, set `ledger_name` to that"});
  }

  // Jobs that somebody else has published since are left to them.
  Result<void> Put() {
    while (!changed_.empty()) {
      RowText text;
      std::vector<PublishedJob> stamps;
      for (const Changed& one : changed_) {
        AddRows(one, text);
        stamps.push_back(one.stamp);
      }
      const auto later = store_.Put(stamps, text);
      if (!later) return std::unexpected(later.error());
      if (later->empty()) {
        counts_.published += std::ssize(changed_);
        counts_.rows += text.rows;
        changed_.clear();
      }
      std::erase_if(changed_, [&](const Changed& one) { return later->contains(one.stamp.job); });
    }
    rows_ = 0;
    return {};
  }

  void AddRows(const Changed& one, RowText& text) const {
    const std::string last = store_.LastCell(one.stamp.version);
    for (const GoodputRowTableInfo& info : GoodputRowTables()) {
      EachRowOf(one.job, name_, info.table,
                [&](std::span<const Cell> row) { text.Add(info, row, last, from_day_); });
    }
  }

  // Published jobs of which the ledger has no rows go if it says that they were deleted or renamed.
  // Others may be on a disk that is away, and stay.
  Result<void> RemoveGone() {
    if (auto when = LoadGone(); !when) return when;
    std::vector<PublishedJob> gone;
    for (const auto& [name, job] : known_) {
      if (seen_.contains(name) || !MayRemove(job)) continue;
      gone.push_back(job);
      gone.back().version = version_;
    }
    counts_.removed = std::ssize(gone);
    return store_.Forget(gone);
  }

  Result<void> LoadGone() {
    const auto gone = GoneJobs(ledger_.database());
    if (!gone) return std::unexpected(gone.error());
    for (const auto& [name, when] : *gone) gone_[StoredText(name)] = when;
    return {};
  }

  bool MayRemove(const PublishedJob& job) {
    if (lost_.contains(job.job)) {
      if (counts_.lost++ == 0) counts_.lost_job = job.job;
      return false;
    }
    const auto gone = gone_.find(job.job);
    // What was published after the deletion is of a job that came back.
    if (gone != gone_.end() && gone->second >= job.version) return true;
    if (options_.remove_absent) return true;
    if (counts_.absent++ == 0) counts_.absent_job = job.job;
    return false;
  }

  const GoodputPublishOptions& options_;
  const Ledger& ledger_;
  RowStore& store_;
  int64_t now_, version_;
  std::string name_;
  int64_t from_day_ = INT64_MIN;
  std::map<std::string, PublishedJob> known_;
  std::map<std::pair<std::string, int64_t>, std::string> others_;  // ledger by job and start
  std::set<std::string> seen_;
  std::set<std::string> lost_;           // without rows, since events of them are lost
  std::map<std::string, int64_t> gone_;  // jobs that were deleted or renamed, and when
  std::vector<Changed> changed_;
  int64_t rows_ = 0;  // about as many as `changed_` has
  Counts counts_;
};

Finding AbsentJobs(const Counts& counts) {
  return {
      .severity = Severity::kHigh,
      .message = Say("{n} published jobs are in the database, but not in the ledger: they stay.",
                     counts.absent),
      .because = Say("The ledger does not say that they were deleted or renamed; the first is "
                     "'{job}'.",
                     Phrase::Name(counts.absent_job)),
      .hint = "check that the ledger is all there, or remove them with `remove_absent`"};
}

Finding LostJobs(const Counts& counts) {
  return {
      .severity = Severity::kHigh,
      .message = Say("{n} published jobs stay as they are: their events are lost.", counts.lost),
      .because = Say("Without these the ledger has no rows of them; the first is '{job}'.",
                     Phrase::Name(counts.lost_job)),
      .hint = "restore the ledger's directory, or delete the jobs in the ledger"};
}

Report ReportOf(const Counts& counts, const std::string& to) {
  Report report{.analysis = "goodput_publish", .title = "Published jobs"};
  report.metrics = {{"jobs", "jobs", counts.jobs, Unit::kCount},
                    {"published", "published jobs", counts.published, Unit::kCount},
                    {"unchanged", "unchanged jobs", counts.unchanged, Unit::kCount},
                    {"removed", "removed jobs", counts.removed, Unit::kCount},
                    {"absent", "jobs not in the ledger", counts.absent, Unit::kCount},
                    {"lost", "jobs with lost events", counts.lost, Unit::kCount},
                    {"rows", "rows", counts.rows, Unit::kCount},
                    {"dropped_months", "dropped months", counts.dropped, Unit::kCount}};
  report.headline =
      Say("Of {jobs} jobs {published} were published to {database}, {unchanged} had not changed, "
          "and {removed} were removed.",
          counts.jobs, counts.published, Phrase::Name(to), counts.unchanged, counts.removed);
  if (counts.absent > 0) report.findings.push_back(AbsentJobs(counts));
  if (counts.lost > 0) report.findings.push_back(LostJobs(counts));
  return report;
}

Result<ReportSet> PublishOnce(const GoodputPublishOptions& options) {
  auto store = RowStoreAt(options.to);
  if (!store) return std::unexpected(store.error());
  if (auto open = (*store)->Open(); !open) return std::unexpected(open.error());
  const int64_t version = VersionOf(WallClock());
  auto ledger = Ledger::Open(options.store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  Publication publication(options, version, *ledger, **store);
  if (auto done = publication.Run(); !done) return std::unexpected(done.error());
  if (auto read = ledger->ReadStatus(); !read) return std::unexpected(read.error());
  ReportSet answer;
  answer.run = {.name = ledger->name(), .ranks = 1, .steps = "all", .notes = ledger->InputNotes()};
  Report report = ReportOf(publication.counts(), (*store)->name());
  report.headline =
      ledger->Lead({}) + report.headline;  // what is found by reading changed jobs varies
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace

Result<std::unique_ptr<RowStore>> RowStoreAt(const std::string& address) {
  if (IsGoodputDatabase(address)) return PostgresRowsAt(address);
  if (address.starts_with("clickhouse")) return ClickHouseRowsAt(address);
  return std::unexpected(
      Error{"cannot publish: unknown kind of database", "",
            "postgresql://USER@HOST/DATABASE or clickhouse://HOST:PORT/DATABASE"});
}

}  // namespace goodput

Result<ReportSet> GoodputPublish(const GoodputPublishOptions& options) {
  return UnlessStopped(options.stop, "publishing was canceled", [&] {
    return goodput::RetryIfLost([&] { return goodput::PublishOnce(options); });
  });
}

}  // namespace stepscope
