// Lists the jobs of a ledger. Caches results in its database until a job's segments change.
#include "goodput/ledger/ledger_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/time_units.h"
#include "goodput/ledger/job_signature.h"
#include "goodput/ledger/ledger.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/recorder/segment_name.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "stepscope/goodput_ledger.h"

namespace stepscope {
namespace goodput {
namespace {

struct Summary {
  std::optional<int64_t> first, last;  // of the job, as in reports; without a job, of the events
  int64_t events = 0;
  std::optional<double> goodput;
  // As in Partition; "no job": no event marks its start; "lost": all of its events are lost.
  std::string state;
  std::vector<AttemptAccount> attempts;
  int64_t attempt_count = 0;
  FoundLost found;
};

// Times beyond it are invalid, and differences overflow.
constexpr int64_t kLatest = int64_t{1} << 62;

// A job, its signature and its summary.
using Computed = std::tuple<std::string, std::string, Summary>;

std::optional<Summary> Cached(const Ledger& ledger, const std::string& job,
                              const std::string& signature) {
  std::optional<Summary> cached;
  if (ledger.database() == nullptr || signature.empty()) return cached;
  // Without these tables, or with a damaged database, results are computed again.
  [[maybe_unused]] const auto read = ledger.database()->Run(
      "SELECT first, last, events, goodput, state,"
      " (SELECT COUNT(*) FROM attempts WHERE attempts.job = jobs.job)"
      " FROM jobs WHERE job = $1 AND signature = $2",
      {std::string_view(job), std::string_view(signature)}, [&](const Database::Row& row) {
        const auto maybe = [&](int column) {
          return row.IsNull(column) ? std::nullopt : std::optional(row.Integer(column));
        };
        cached = Summary{.first = maybe(0),
                         .last = maybe(1),
                         .events = row.Integer(2),
                         .state = row.Text(4),
                         .attempt_count = row.Integer(5)};
        if (!row.IsNull(3)) cached->goodput = row.Real(3);
      });
  return cached;
}

// Those of raw events: without a job there is no other time.
void AddTimes(const Ledger& ledger, const std::string& name, Summary& summary) {
  Notes note_counts;
  ledger.ReadRaw(name, note_counts, [&](const Event& event, const EventPlace&, bool) {
    if (event.time < 0 || event.time > kLatest) return;
    summary.first = std::min(summary.first.value_or(event.time), event.time);
    summary.last = std::max(summary.last.value_or(event.time), event.time);
  });
}

Result<Summary> ComputeSummary(const Ledger& ledger, const std::string& name) {
  Summary summary;
  Job job;
  const auto rollup = ledger.RollupOf(name);
  if (!rollup) return std::unexpected(rollup.error());
  if (*rollup) {
    summary.first = (*rollup)->first;
    summary.last = (*rollup)->last;
  }
  if (auto read = ledger.Account(name, {}, job); !read) return std::unexpected(read.error());
  summary.events = job.events;
  summary.found = ledger.FoundIn(name, job.note_counts);
  const bool lost = ledger.LogsOf(name).empty() && !ledger.HasRollup(name);
  summary.state = lost ? "lost" : "no job";
  if (job.accounting.empty()) {
    AddTimes(ledger, name, summary);
    return summary;
  }
  Partition partition = job.accounting.Query(UpTo(std::nullopt));
  summary.first = partition.start;
  summary.last = partition.end;
  summary.goodput = partition.goodput();
  summary.state = partition.state;
  summary.attempt_count = static_cast<int64_t>(partition.attempts.size());
  summary.attempts = std::move(partition.attempts);
  return summary;
}

Bound OrNull(const std::optional<int64_t>& value) { return value ? Bound(*value) : Bound(); }

Result<void> StoreSummary(const Database& db, const std::string& job, const std::string& signature,
                          const Summary& summary) {
  const std::string_view name = job;
  auto kept = db.Run("DELETE FROM jobs WHERE job = $1", {name});
  if (!kept) return kept;
  kept = db.Run("INSERT INTO jobs VALUES ($1, $2, $3, $4, $5, $6, $7)",
                {name, std::string_view(signature), OrNull(summary.first), OrNull(summary.last),
                 summary.events, summary.goodput ? Bound(*summary.goodput) : Bound(),
                 std::string_view(summary.state)});
  if (kept) kept = db.Run("DELETE FROM attempts WHERE job = $1", {name});
  for (size_t a = 0; kept && a < summary.attempts.size(); ++a) {
    const AttemptAccount& t = summary.attempts[a];
    kept = db.Run("INSERT INTO attempts VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                  {name, static_cast<int64_t>(a), std::string_view(t.id), t.start, t.end,
                   int64_t{t.ended}, t.steps, OrNull(t.first_step), OrNull(t.last_step),
                   t.times[static_cast<size_t>(Bucket::kProductive)]});
  }
  return kept;
}

// Best effort: a ledger that cannot be written to stays unchanged.
void KeepAll(const std::string& address, const std::vector<Computed>& computed) {
  if (computed.empty()) return;
  auto ledger = Ledger::Open(address, Access::kWriteIfFree);
  if (!ledger) return;
  for (const auto& [job, signature, summary] : computed) {
    if (!StoreSummary(*ledger->database(), job, signature, summary)) return;
  }
  [[maybe_unused]] const auto kept = ledger->Commit();
}

// `lost`: some job has lost events.
Table JobsTable(bool lost) {
  Table table{.key = "jobs", .title = "Jobs", .text_rows = 30};
  table.columns = {KeyColumn("job", "job"),
                   ValueColumn("first", "start", Unit::kUnixTime, true),
                   ValueColumn("last", "end", Unit::kUnixTime, true),
                   TimeColumn("time", "total time"),
                   CountColumn("events", "events"),
                   CountColumn("attempts", "attempts"),
                   RatioColumn("goodput_ratio", "goodput"),
                   Words(ValueColumn("state", "state"))};
  const Column events = CountColumn("lost_events", "lost events");
  table.columns.push_back(lost ? events : Detail(events));
  return table;
}

// What of a job is missing, or was before repairs, and what reading found lost; absent: unknown, as
// where the gaps of a writer may be of other jobs.
std::optional<int64_t> LostEvents(const Ledger& ledger, const std::string& job, const Summary& s) {
  const auto missing = ledger.LostEvents(job);
  if (!missing || !s.found.exact || s.found.shared) return std::nullopt;
  return *missing + s.found.lost + s.found.Missing();
}

std::vector<Cell> JobRow(const std::string& job, const Summary& s, std::optional<int64_t> lost) {
  const bool timed = s.first && s.last && *s.last >= *s.first;
  return {job,
          Maybe(s.first),
          Maybe(s.last),
          timed ? Cell(*s.last - *s.first) : Cell(),
          s.events,
          s.attempt_count,
          s.goodput ? Cell(*s.goodput) : Cell(),
          s.state,
          Maybe(lost)};
}

// By goodput; unknown ones last.
void WorstFirst(Table& table) {
  const ColumnOf goodput(table, "goodput_ratio");
  const auto key = [&](const std::vector<Cell>& row) {
    const double* ratio = goodput.FindReal(row);
    return ratio == nullptr ? 2.0 : *ratio;
  };
  std::ranges::stable_sort(table.rows, {}, key);
}

// The one that is asked about first, then those read longest ago.
std::vector<std::string> InOrder(std::vector<std::string> names, const JobList& list) {
  if (!list.until) return names;
  std::ranges::stable_sort(names, {}, [&](const std::string& name) {
    const auto known = list.known.find(name);
    return std::pair(name != list.first, known == list.known.end() ? 0 : known->second.read);
  });
  return names;
}

// Reads the jobs that may have changed since they were read.
Result<void> ReadJobs(const Ledger& ledger, const std::vector<std::string>& names, JobList& list,
                      std::vector<Computed>& computed) {
  list.waiting.clear();
  for (const std::string& job : InOrder(names, list)) {
    const std::string signature = SignatureOf(ledger, job);
    auto summary = Cached(ledger, job, signature);
    // A job that may still run has another goodput each second.
    if (!summary || summary->state == "running") {
      if (!list.MayRead(job)) {
        list.waiting.insert(job);
        continue;
      }
      auto fresh = ComputeSummary(ledger, job);
      if (!fresh) return std::unexpected(fresh.error());
      if (!signature.empty() && fresh->found == FoundLost())
        computed.emplace_back(job, signature, *fresh);
      summary = std::move(*fresh);
    }
    const auto lost = LostEvents(ledger, job, *summary);
    list.known[job] = {.row = JobRow(job, *summary, lost),
                       .events = summary->events,
                       .found = summary->found,
                       .lost_of_job = lost,
                       .read = MonotonicClock()};
  }
  std::erase_if(list.known,
                [&](const auto& known) { return !std::ranges::binary_search(names, known.first); });
  return {};
}

Result<ReportSet> Describe(const std::string& store, JobList& list,
                           std::vector<Computed>& computed) {
  auto ledger = Ledger::Open(store, Access::kRead);
  if (!ledger) return std::unexpected(ledger.error());
  Report report{.analysis = "goodput_jobs", .title = "Ledger jobs"};
  const std::vector<std::string> names = ledger->JobNames();
  if (auto read = ReadJobs(*ledger, names, list, computed); !read) {
    return std::unexpected(read.error());
  }
  int64_t events = 0;
  FoundLost found;
  bool some_lost = false;
  for (const auto& [name, job] : list.known) {
    events += job.events;
    found += job.found;
    some_lost = some_lost || job.lost_of_job != 0;
  }
  Table table = JobsTable(some_lost);
  for (const std::string& name : names) {
    const auto known = list.known.find(name);
    std::vector<Cell> unread(table.columns.size());
    unread.front() = name;
    table.rows.push_back(known == list.known.end() ? std::move(unread) : known->second.row);
  }
  WorstFirst(table);
  const auto jobs = static_cast<int64_t>(table.rows.size());
  if (auto read = ledger->ReadStatus(); !read) return std::unexpected(read.error());
  report.metrics = {{"jobs", "jobs", jobs, Unit::kCount},
                    {"events", "events", events, Unit::kCount}};
  report.headline = ledger->Lead(found);
  report.headline += Say("{jobs}, {events}.", Plural(table.rows.size(), "job"),
                         Plural(static_cast<size_t>(events), "event"));
  report.tables.push_back(std::move(table));
  ReportSet answer;
  answer.run = {.name = ledger->name(), .ranks = 1, .steps = "all", .notes = ledger->InputNotes()};
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace

void JobList::ReadOthersFor(int64_t patience) { until = MonotonicClock() + patience; }

bool JobList::MayRead(const std::string& job) const {
  return !until || job == first || MonotonicClock() < *until;
}

Result<ReportSet> ListJobs(const std::string& store, JobList& list) {
  std::vector<Computed> computed;
  auto answer = RetryIfLost([&] {
    computed.clear();
    return Describe(store, list, computed);
  });
  if (answer) KeepAll(store, computed);
  return answer;
}

}  // namespace goodput

Result<ReportSet> GoodputJobs(const std::string& store) {
  goodput::JobList all;
  return goodput::ListJobs(store, all);
}

}  // namespace stepscope
