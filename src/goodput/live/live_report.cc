// Reports all live jobs in a table, and one job in detail.
#include "goodput/live/live_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/nearest_name.h"
#include "goodput/report/report.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kLastDisruptions = 5;
constexpr size_t kJobsInText = 20;

Cell Since(std::optional<int64_t> time, int64_t now) {
  if (!time) return {};
  return std::max<int64_t>(0, now - *time);
}

// MFU; blank if unknown.
Cell Mfu(const std::optional<ProgramRates>& program, LiveJob& job, const Partition& p) {
  if (!program) return {};
  const auto use = UseOf(*program, job.accounting(), p);
  return use ? Cell(use->mfu) : Cell();
}

Table JobsTable(std::map<std::string, LiveJob>& jobs, const std::string& only,
                const std::optional<ProgramRates>& program, int64_t now) {
  Table table{.key = "jobs",
              .title = "Jobs",
              .columns = {KeyColumn("job", "job"), Words(ValueColumn("state", "state")),
                          RatioColumn("goodput_ratio", "goodput")},
              .text_rows = kJobsInText};
  for (const auto& [name, size] : kLiveWindows) {
    table.columns.push_back(
        RatioColumn(fmt::format("goodput_{}", name), Say("last {window}", name)));
  }
  for (Column column :
       {ValueColumn("step", "step"), TimeColumn("step_time", "last step time"),
        TimeColumn("silent", "since last event"), CountColumn("disruptions", "disruptions")}) {
    table.columns.push_back(std::move(column));
  }
  if (program) table.columns.push_back(RatioColumn("mfu", "MFU"));
  for (auto& [name, job] : jobs) {
    if (!only.empty() && name != only) continue;
    const Partition p = job.At(now);
    std::vector<Cell> row = {name, p.state, Maybe(p.goodput())};
    for (const auto& window : kLiveWindows)
      row.push_back(Maybe(job.GoodputOfLast(window.size, now)));
    row.insert(row.end(), {Maybe(job.step), Maybe(job.accounting().step_clock().last()),
                           Since(job.latest, now), p.disruptions});
    if (program) row.push_back(Mfu(program, job, p));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table Disruptions(const Partition& p, int64_t now) {
  Table table{.key = "disruptions",
              .title = "Disruptions, latest first",
              .columns = {KeyColumn("attempt", "attempt"), TimeColumn("ago", "ago"),
                          Words(ValueColumn("announced", "announced")),
                          ValueColumn("text", "notice"), TimeColumn("cost", "cost"),
                          TimeColumn("down", "down"), TimeColumn("recompute", "recompute")},
              .text_rows = kLastDisruptions};
  for (size_t k = p.disruption_list.size(); k-- > 0;) {
    const Disruption& d = p.disruption_list[k];
    table.rows.push_back({static_cast<int64_t>(d.attempt) + 1, Since(d.time, now),
                          std::string(d.announced ? "yes" : "no"),
                          d.text.empty() ? Cell() : Cell(d.text), d.cost(), d.down, d.recompute});
  }
  return table;
}

void AddDetails(Report& report, LiveJob& job, const std::optional<ProgramRates>& program,
                int64_t now) {
  const Partition p = job.At(now);
  const StepClock& clock = job.accounting().step_clock();
  const auto ns = Unit::kNanoseconds;
  report.metrics = {
      {"goodput_ratio", "goodput", Maybe(p.goodput()), Unit::kRatio},
      {"total", "total time", p.total(), ns},
      {"step", "step", Maybe(job.step), Unit::kNone},
      {"open_step", "open step time", p.open_step ? Cell(p.At(Bucket::kInProgress)) : Cell(), ns},
      {"step_time", "last step time", Maybe(clock.last()), ns},
      {"ideal_step_time", "ideal step time", Maybe(clock.ideal()), ns},
      {"checkpoint_step", "checkpoint step", Maybe(job.checkpoint_step), Unit::kNone},
      {"checkpoint_age", "checkpoint age", Since(job.checkpoint_time, now), ns},
      {"silent", "since last event", Since(job.latest, now), ns},
      {"attempts", "attempts", static_cast<int64_t>(p.attempts.size()), Unit::kCount},
      {"mfu", "MFU during steps", Mfu(program, job, p), Unit::kRatio},
  };
  std::erase_if(report.metrics, [](const Metric& m) { return IsBlank(m.value); });
  report.tables.push_back(BucketsTable(p));
  if (!p.disruption_list.empty()) report.tables.push_back(Disruptions(p, now));
  report.notes = job.note_counts().List();
}

Phrase Headline(std::map<std::string, LiveJob>& jobs, int64_t now) {
  size_t running = 0;
  std::optional<int64_t> silent_since;
  const std::string* silent = nullptr;
  for (auto& [name, job] : jobs) {
    if (!job.At(now).running) continue;
    ++running;
    if (job.latest && *job.latest < silent_since.value_or(INT64_MAX)) {
      silent_since = job.latest;
      silent = &name;
    }
  }
  Phrase message = Say("{count} of {jobs} running", running, Plural(jobs.size(), "job"));
  if (silent_since) {
    message += Say("; longest silence: '{job}' ({time})", Phrase::Name(*silent),
                   HumanTime(static_cast<double>(std::max<int64_t>(0, now - *silent_since))));
  }
  return message + ".";
}

std::string_view StateInWords(const std::string& state) {
  if (state == "running") return "is running";
  if (state == "ended") return "has ended";
  if (state == "silent") return "is silent";
  return state == "cancelled" ? std::string_view("was cancelled") : std::string_view(state);
}

Phrase HeadlineOf(const std::string& name, LiveJob& job, int64_t now) {
  const Partition p = job.At(now);
  Phrase message = Say("'{job}' {state}", Phrase::Name(name), StateInWords(p.state));
  if (job.step) message += Say(", at step {step}", *job.step);
  if (const auto goodput = p.goodput()) message += Say(", goodput {goodput}", HumanRatio(*goodput));
  if (job.latest) {
    message += Say("; last event {time} ago",
                   HumanTime(static_cast<double>(std::max<int64_t>(0, now - *job.latest))));
  }
  return message + ".";
}

// Running jobs that may hang, worst first.
void AddHangs(std::map<std::string, LiveJob>& jobs, const std::string& only, int64_t now,
              Report& report) {
  for (auto& [name, job] : jobs) {
    if (!only.empty() && name != only) continue;
    auto hang = FindHang(job.At(now), job.accounting().step_clock());
    if (!hang) continue;
    hang->message = Say("'{job}': {finding}", Phrase::Name(name), hang->message);
    hang->table = "jobs";
    report.findings.push_back(std::move(*hang));
  }
  std::ranges::stable_sort(report.findings, std::greater<>(), &Finding::impact);
}

Error AbsentOf(const std::map<std::string, LiveJob>& jobs, const std::string& job) {
  std::vector<std::string> names;
  for (const auto& [name, live] : jobs) names.push_back(name);
  const std::string nearest = NearestName(job, names);
  return {
      "cannot find job: it has no events", job,
      nearest.empty() ? "the jobs are listed without `job`" : "did you mean '" + nearest + "'?"};
}

}  // namespace

Report LiveReport(std::map<std::string, LiveJob>& jobs, const std::string& job,
                  const std::optional<ProgramRates>& program, int64_t now) {
  Report report{.analysis = "watch", .title = "Live jobs"};
  const bool one = !job.empty() || jobs.size() == 1;
  const auto chosen = !one ? jobs.end() : job.empty() ? jobs.begin() : jobs.find(job);
  if (jobs.empty() || (one && chosen == jobs.end())) {
    report.status = Status::kUnavailable;
    report.why = jobs.empty() ? "there are no events yet" : "the job has no events";
    if (!job.empty()) report.absent = AbsentOf(jobs, job);
    return report;
  }
  report.tables.push_back(JobsTable(jobs, job, program, now));
  AddHangs(jobs, job, now, report);
  if (chosen == jobs.end()) {
    report.headline = Headline(jobs, now);
  } else {
    report.headline = HeadlineOf(chosen->first, chosen->second, now);
    AddDetails(report, chosen->second, program, now);
  }
  return report;
}

}  // namespace stepscope::goodput
