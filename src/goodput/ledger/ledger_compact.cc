// Compacts a ledger: replaces old events by the state of their accounting.
#include <algorithm>
#include <iterator>
#include <map>

#include "base/time_units.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment_name.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

constexpr int64_t kLatest = int64_t{1} << 62;

// What to store for one job, and what becomes removable.
struct Compaction {
  Rollup rollup;
  int64_t rolled_up = 0, raw = 0;        // events, of this call
  std::map<std::string, int64_t> done;   // by file: rolled-up events
  std::map<std::string, int64_t> given;  // by file: all events
  Labels labels;
  std::vector<std::pair<std::string, int64_t>> skipped;
};

// Takes a job's events in order and rolls up those before the first recent one.
class Compactor {
 public:
  Compactor(const std::vector<Log>& logs, int64_t until, Compaction& out)
      : logs_(logs), until_(until), out_(out) {
    TakeLater(until, out_.rollup.until);
    for (const Log& log : logs) {
      for (const LogFile& file : log) out_.done[file.name] = out_.given[file.name] = file.done;
    }
  }

  bool Start(bool rolled_up) {
    if (!rolled_up) return true;
    StateReader writers(out_.rollup.writers);
    job_.duplicates.LoadWriters(writers);
    return writers.ok() && job_.accounting.Load(out_.rollup.accounting);
  }

  void Take(const Event& recorded, const EventPlace& place, bool equal) {
    const Event& event = job_.servers_clock.Move(recorded, job_.note_counts);
    const std::string& file = logs_[place.log][place.file].name;
    out_.given[file] = place.number + 1;
    if (const int64_t time = TimeOf(event); !closed_ && time != kUnknown && time >= until_) Close();
    if (closed_) return TakeRaw(event, file, place.number, equal);
    out_.done[file] = place.number + 1;
    ++out_.rolled_up;
    NoteTime(event);
    TakeLabel(event, out_.labels);
    if (equal || job_.duplicates.Seen(event)) {
      job_.note_counts.Add(NoteKind::kDuplicate);
    } else {
      job_.accounting.Add(event);
    }
  }

  // False if the rollup does not add up; nothing may be removed then.
  bool Finish() {
    if (!closed_) Close();
    out_.rollup.events += out_.rolled_up;
    out_.rollup.accounting = old_.SaveThinned(job_.accounting);
    out_.rollup.duplicates +=
        job_.note_counts.Count(NoteKind::kDuplicate);  // among those rolled up
    Accounting loaded;
    return loaded.Load(out_.rollup.accounting) && loaded.Query().unaccounted == 0;
  }

 private:
  void Close() {
    closed_ = true;
    old_ = job_.accounting;
    StateWriter writers;
    job_.duplicates.SaveWriters(writers);
    out_.rollup.writers = writers.bytes();
  }

  // Equality by content cannot be checked once the rolled-up event is gone.
  void TakeRaw(const Event& event, const std::string& file, int64_t number, bool equal) {
    ++out_.raw;
    if (equal) return;
    if (!job_.duplicates.Seen(event)) return job_.accounting.Add(event);
    if (IsOfLog(event)) out_.skipped.emplace_back(file, number);
  }

  void NoteTime(const Event& event) {
    if (event.time < 0 || event.time > kLatest) return;
    Rollup& r = out_.rollup;
    r.first = std::min(r.first.value_or(event.time), event.time);
    TakeLater(event.time, r.last);
  }

  const std::vector<Log>& logs_;
  const int64_t until_;
  Compaction& out_;
  Job job_;         // with all its events
  Accounting old_;  // with those of the rollup
  bool closed_ = false;
};

Result<void> Store(const Database& db, const std::string& job, const Compaction& c) {
  const std::string_view name = job;
  const Rollup& r = c.rollup;
  auto stored = db.Run("DELETE FROM rollups WHERE job = $1", {name});
  if (!stored) return stored;
  const auto known = [](std::optional<int64_t> time) { return time.value_or(kUnknown); };
  stored = db.Run("INSERT INTO rollups VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                  {name, known(r.until), r.events, r.duplicates, known(r.first), known(r.last),
                   Blob{r.accounting}, Blob{r.writers}});
  for (auto done = c.done.begin(); stored && done != c.done.end(); ++done) {
    if (done->second == 0) continue;
    stored = db.Run(
        "INSERT INTO done VALUES ($1, $2, $3)"
        " ON CONFLICT (job, file) DO UPDATE SET events = excluded.events",
        {name, std::string_view(done->first), done->second});
  }
  for (auto label = c.labels.begin(); stored && label != c.labels.end(); ++label) {
    stored = db.Run(
        "INSERT INTO labels VALUES ($1, $2, $3)"
        " ON CONFLICT (job, name) DO UPDATE SET value = excluded.value",
        {name, std::string_view(label->first), std::string_view(label->second)});
  }
  for (size_t k = 0; stored && k < c.skipped.size(); ++k) {
    stored = db.Run("INSERT INTO skipped VALUES ($1, $2) ON CONFLICT (file, number) DO NOTHING",
                    {std::string_view(c.skipped[k].first), c.skipped[k].second});
  }
  return stored;
}

// Whether a recorder may still store into the segment: it is the last of its log, has no closing
// record, is not cut to its content, and changed today.
bool MayGrow(const Ledger& ledger, const LogFile& file, bool last, int64_t now) {
  if (!last || file.changed + kDay < now) return false;
  const auto reader = ledger.OpenSegment(file.name);
  if (!reader) return true;
  if (reader->mark() && reader->mark()->closed) return false;
  const uint64_t room = kSlotsBegin + reader->header().slots * kSlotBytes;
  return static_cast<uint64_t>(file.bytes) >= room;
}

// Segments whose events are all rolled up.
std::vector<std::string> Emptied(const Ledger& ledger, const std::vector<Log>& logs,
                                 const Compaction& c) {
  const int64_t now = WallClock();
  std::vector<std::string> emptied;
  for (const Log& log : logs) {
    for (const LogFile& file : log) {
      const int64_t done = c.done.at(file.name);
      if (done == 0 || done < c.given.at(file.name)) continue;
      if (!MayGrow(ledger, file, &file == &log.back(), now)) emptied.push_back(file.name);
    }
  }
  return emptied;
}

struct Compacted {
  std::string job;
  std::vector<Log> logs;
  Compaction compaction;
  int64_t removed = 0;
};

Report CompactReport(const std::vector<Compacted>& jobs) {
  Report report{.analysis = "goodput_compact", .title = "Goodput compaction"};
  Table table{.key = "jobs", .title = "Jobs", .text_rows = 10};
  table.columns = {KeyColumn("job", "job"), CountColumn("rolled_up", "rolled-up events"),
                   CountColumn("raw", "raw events"), BytesColumn("rollup_bytes", "rollup size"),
                   BytesColumn("removed_bytes", "removed size")};
  int64_t rolled_up = 0, removed = 0;
  for (const Compacted& j : jobs) {
    const Compaction& c = j.compaction;
    table.rows.push_back(
        {j.job, c.rolled_up, c.raw,
         static_cast<int64_t>(c.rollup.accounting.size() + c.rollup.writers.size()), j.removed});
    rolled_up += c.rolled_up;
    removed += j.removed;
  }
  report.metrics = {{"rolled_up", "rolled-up events", rolled_up, Unit::kCount},
                    {"removed_bytes", "removed size", removed, Unit::kBytes}};
  report.headline = Say("{count} events were rolled up; {size} of segments were removed.",
                        HumanCount(rolled_up), HumanBytes(static_cast<double>(removed)));
  report.tables.push_back(std::move(table));
  return report;
}

Result<std::vector<Compacted>> CompactAll(Ledger& ledger, int64_t until) {
  std::vector<Compacted> jobs;
  for (const std::string& name : ledger.JobNames()) {
    Compacted job{.job = name, .logs = ledger.LogsOf(name)};
    auto rollup = ledger.RollupOf(name);
    if (!rollup) return std::unexpected(rollup.error());
    const bool rolled_up = ledger.HasRollup(name);
    if (rolled_up && !*rollup) continue;  // damaged: a new one would replace it
    if (rolled_up) job.compaction.rollup = std::move(**rollup);
    Compactor compactor(job.logs, until, job.compaction);
    if (!compactor.Start(rolled_up)) {
      ledger.note_counts().Add(NoteKind::kDatabase);
      continue;
    }
    Notes of_raw;
    ledger.ReadRaw(name, of_raw, [&](const Event& event, const EventPlace& place, bool equal) {
      compactor.Take(event, place, equal);
    });
    // What could not be read now would be missing in the rollup.
    if (auto read = ledger.ReadStatus(); !read) return std::unexpected(read.error());
    if (!compactor.Finish()) {
      return std::unexpected(
          Error{"cannot compact: the rollup does not add up (nothing was changed)", name,
                "please report this with the events"});
    }
    // Segments rolled up earlier may still wait for removal.
    if (job.compaction.rolled_up > 0) {
      if (auto stored = Store(*ledger.database(), name, job.compaction); !stored) {
        return std::unexpected(stored.error());
      }
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<ReportSet> CompactOnce(const GoodputCompactOptions& options, int64_t now) {
  // Does not create a ledger.
  if (auto there = Ledger::Open(options.store, Access::kRead); !there) {
    return std::unexpected(there.error());
  }
  auto ledger = Ledger::Open(options.store, Access::kWrite);
  if (!ledger) return std::unexpected(ledger.error());
  // A rollup would make what is lost look whole. What a repair gave up stays in the manifest.
  if (!LeadOf(ledger->faults(), {}, {}, nullptr).empty()) {
    return std::unexpected(Error{"cannot compact: segments are missing or damaged", ledger->name(),
                                 "'stepscope goodput check' lists them, 'goodput repair' mends"});
  }
  auto jobs = CompactAll(*ledger, now - options.keep_raw);
  if (!jobs) return std::unexpected(jobs.error());
  std::vector<std::string> emptied;
  for (const Compacted& job : *jobs) {
    std::ranges::move(Emptied(*ledger, job.logs, job.compaction), std::back_inserter(emptied));
  }
  const auto removed = ledger->Commit(emptied);
  if (!removed) return std::unexpected(removed.error());
  for (Compacted& job : *jobs) {
    for (const Log& log : job.logs) {
      for (const LogFile& file : log)
        job.removed += removed->gone.contains(file.name) ? file.bytes : 0;
    }
  }
  ReportSet answer;
  answer.run = {.name = ledger->name(),
                .ranks = 1,
                .steps = "all",
                .notes = ledger->note_counts().List(ledger->name())};
  if (!removed->failed.empty()) {
    const Error& first = removed->failed.front();
    answer.run.notes.push_back(
        {"not_removed", static_cast<int64_t>(removed->failed.size()),
         Say("segments are rolled up and still there: {why}", Phrase::Name(first.what)),
         first.where});
  }
  answer.reports.push_back(CompactReport(*jobs));
  answer.verdict = answer.reports.front().headline;
  return answer;
}

}  // namespace
}  // namespace goodput

Result<ReportSet> GoodputCompact(const GoodputCompactOptions& options) {
  const int64_t now = options.now ? *options.now : goodput::WallClock();
  return goodput::RetryIfLost([&] { return goodput::CompactOnce(options, now); });
}

}  // namespace stepscope
