// Writes the accounting of a job as a report: buckets, attempts, disruptions, segments.
#include "goodput/report/report.h"

#include <algorithm>

#include "goodput/accounting/periods.h"
#include "report/columns.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope::goodput {
namespace {

constexpr size_t kMostSegments = 2000;
constexpr int64_t kStretches = 100;

// Describes a bucket in a few words.
std::string_view Meaning(Bucket bucket) {
  switch (bucket) {
    case Bucket::kExcluded:
      return "excluded by the user, or between two jobs";
    case Bucket::kElasticReinit:
      return "rebuilding after a slice change";
    case Bucket::kElasticDown:
      return "waiting for a lost slice";
    case Bucket::kElasticUp:
      return "waiting for a new slice";
    case Bucket::kRestore:
      return "blocked on checkpoint restore";
    case Bucket::kSave:
      return "blocked on checkpoint save";
    case Bucket::kAcceleratorInit:
      return "chip initialization";
    case Bucket::kTrainingPrep:
      return "model setup and compilation";
    case Bucket::kCustom:
      return "user-defined events";
    case Bucket::kDataLoading:
      return "blocked on data loading";
    case Bucket::kSlowStep:
      return "what steps took beyond the usual";
    case Bucket::kHungStep:
      return "in a step until the attempt died";
    case Bucket::kProductive:
      return "kept steps";
    case Bucket::kInProgress:
      return "open step";
    case Bucket::kStartup:
      return "first-step excess over other steps";
    case Bucket::kWasted:
      return "steps lost and redone";
    case Bucket::kRecovery:
      return "from an attempt's end to the next start";
    case Bucket::kQueued:
      return "waiting for resources";
    case Bucket::kAllocated:
      return "allocated, not started";
    case Bucket::kOther:
    case Bucket::kCount:
      return "no recorded cause";
  }
  return "";
}

}  // namespace

Phrase KindOf(const Disruption& d) {
  return !d.reason.empty() ? d.reason
         : d.announced     ? "announced"
         : d.hung > 0      ? "hung"
         : d.in_process    ? "restart in the process"
         : d.made_no_step  ? "died before a step"
                           : "unannounced";
}

ColumnKind KindOf(Bucket bucket) {
  switch (bucket) {
    case Bucket::kExcluded:
      return ColumnKind::kExcluded;
    case Bucket::kElasticReinit:
    case Bucket::kElasticDown:
    case Bucket::kElasticUp:
      return ColumnKind::kElastic;
    case Bucket::kRestore:
    case Bucket::kSave:
      return ColumnKind::kCheckpoint;
    case Bucket::kAcceleratorInit:
    case Bucket::kTrainingPrep:
    case Bucket::kStartup:
      return ColumnKind::kStartup;
    case Bucket::kCustom:
      return ColumnKind::kCustom;
    case Bucket::kDataLoading:
      return ColumnKind::kInput;
    case Bucket::kProductive:
      return ColumnKind::kProductive;
    case Bucket::kInProgress:
      return ColumnKind::kInProgress;
    case Bucket::kWasted:
    case Bucket::kSlowStep:
    case Bucket::kHungStep:
      return ColumnKind::kWasted;
    case Bucket::kRecovery:
      return ColumnKind::kRecovery;
    case Bucket::kQueued:
    case Bucket::kAllocated:
      return ColumnKind::kQueued;
    case Bucket::kOther:
    case Bucket::kCount:
      break;
  }
  return ColumnKind::kOther;
}

Table BucketsTable(const Partition& p) {
  Table table{.key = "buckets",
              .title = "Time by bucket",
              .columns = {Words(KeyColumn("bucket", "bucket")), TimeColumn("time", "time"),
                          RatioColumn("ratio", "share"), Words(ValueColumn("meaning", "meaning"))}};
  AddKindColumn(table);
  for (size_t b = 0; b < kBuckets; ++b) {
    const auto bucket = static_cast<Bucket>(b);
    if (p.times[b] == 0 && bucket != Bucket::kProductive) continue;
    table.rows.push_back({std::string(BucketName(bucket)), p.times[b], Ratio(p.times[b], p.total()),
                          std::string(Meaning(bucket)), KindCell(KindOf(bucket))});
  }
  SortDescending(table, "time");
  return table;
}

namespace {

Table Custom(const Partition& p) {
  Table table{.key = "custom",
              .title = "User-defined events",
              .columns = {KeyColumn("type", "type"), TimeColumn("time", "time"),
                          RatioColumn("ratio", "share")},
              .text_rows = 5};
  for (const auto& [type, time] : p.custom) {
    table.rows.push_back({type, time, Ratio(time, p.total())});
  }
  return table;
}

// The zero of times in `attempts`, `disruptions`, `segments` and the series. Waiting before it is
// negative.
int64_t JobStart(const Partition& p) {
  return p.attempts.empty() ? p.start : p.attempts.front().start;
}

std::string_view Outcome(const AttemptAccount& a) {
  if (a.running) return "running";
  if (a.preempted) return "preempted";
  return a.ended ? "ended" : "stopped";
}

Table Attempts(const Partition& p) {
  Table table{
      .key = "attempts",
      .title = "Attempts",
      .columns = {KeyColumn("attempt", "attempt"), TimeColumn("start", "start"),
                  TimeColumn("lasted", "duration"), Words(ValueColumn("fate", "outcome")),
                  ValueColumn("first_step", "first step"), ValueColumn("last_step", "last step"),
                  Detail(ValueColumn("steps", "steps")), Detail(ValueColumn("id", "id")),
                  TimeColumn("productive", "productive"), TimeColumn("wasted", "wasted"),
                  TimeColumn("startup", "startup"), TimeColumn("recovery", "recovery"),
                  Detail(CountColumn("processes", "processes"))},
      .text_rows = 6};
  SetKinds(table, {{"productive", ColumnKind::kProductive},
                   {"wasted", ColumnKind::kWasted},
                   {"startup", ColumnKind::kStartup},
                   {"recovery", ColumnKind::kRecovery}});
  for (size_t a = 0; a < p.attempts.size(); ++a) {
    const AttemptAccount& at = p.attempts[a];
    const auto time = [&](Bucket b) { return at.times[static_cast<size_t>(b)]; };
    table.rows.push_back({static_cast<int64_t>(a) + 1, at.start - JobStart(p), at.end - at.start,
                          std::string(Outcome(at)), Maybe(at.first_step), Maybe(at.last_step),
                          at.steps, at.id, time(Bucket::kProductive), time(Bucket::kWasted),
                          time(Bucket::kStartup), time(Bucket::kRecovery), at.processes});
  }
  return table;
}

Phrase CauseText(const Disruption& d) {
  Phrase cause = d.ended_by.empty() ? KindOf(d) : d.ended_by;
  if (!d.text.empty()) cause = cause + ": " + Phrase::Name(d.text);
  if (!d.first_gone.empty() && d.ended_by.empty()) {
    cause = Say("{cause}, {rank} first", cause, d.first_gone);
  }
  return cause;
}

Table Disruptions(const Partition& p) {
  Table table{.key = "disruptions",
              .title = "Disruptions by cost",
              .columns = {KeyColumn("attempt", "attempt"), TimeColumn("at", "at"),
                          Words(ValueColumn("cause", "cause")), TimeColumn("cost", "cost"),
                          TimeColumn("down", "down"), TimeColumn("detect", "detect"),
                          TimeColumn("queue", "queue"), TimeColumn("launch", "launch"),
                          TimeColumn("start", "start"), TimeColumn("restore", "restore"),
                          TimeColumn("startup", "startup"), TimeColumn("recompute", "recompute"),
                          TimeColumn("hung", "hung")},
              .text_rows = 5};
  for (const Disruption& d : p.disruption_list) {
    table.rows.push_back({static_cast<int64_t>(d.attempt) + 1, d.time - JobStart(p),
                          CauseText(d).str(), d.cost(), d.down, Maybe(d.detect), Maybe(d.queue),
                          Maybe(d.launch), d.start, d.restore, d.startup, d.recompute, d.hung});
  }
  SortDescending(table, "cost");
  return table;
}

Table Segments(const JoinedPeriods& joined, int64_t job_start) {
  Table table{.key = "segments",
              .title = "Segments in time order",
              .columns = {KeyColumn("attempt", "attempt"), KeyColumn("segment", "segment"),
                          TimeColumn("start", "start"), TimeColumn("duration", "duration"),
                          Words(ValueColumn("bucket", "bucket"))},
              .text_rows = 0};
  AddKindColumn(table);
  int64_t segment = 0;
  const Period* before = nullptr;
  for (const Period& period : joined.periods) {
    segment = before != nullptr && before->attempt == period.attempt ? segment + 1 : 1;
    before = &period;
    table.rows.push_back({period.attempt < 0 ? Cell() : Cell(period.attempt + 1), segment,
                          period.start - job_start, period.end - period.start,
                          std::string(BucketName(period.bucket)), KindCell(KindOf(period.bucket))});
  }
  return table;
}

void AddCourse(const Partition& p, Report& report) {
  if (p.periods.empty()) return;
  const JoinedPeriods joined = JoinShortPeriods(p.periods, kMostSegments);
  report.tables.push_back(Segments(joined, JobStart(p)));
  if (joined.within > 0) {
    report.notes.push_back(
        {"segments_joined", std::ssize(p.periods) - std::ssize(joined.periods),
         Say("segments were joined by bucket within cells of {time}: too many to list (their order "
             "within a cell is lost)",
             HumanTime(static_cast<double>(joined.within))),
         ""});
  }
  Series series{.key = "goodput",
                .title = "Goodput over time",
                .x_unit = Unit::kNanoseconds,
                .y_unit = Unit::kRatio};
  for (const auto& [start, ratio] : GoodputOverTime(p, kStretches)) {
    series.points.emplace_back(static_cast<double>(start - JobStart(p)), ratio);
  }
  report.series.push_back(std::move(series));
}

Table Rolling(const std::vector<RollingWindow>& windows) {
  Table table{
      .key = "rolling",
      .title = "Rolling windows",
      .columns = {Words(KeyColumn("window", "window")), RatioColumn("goodput_ratio", "goodput"),
                  TimeColumn("productive", "productive"),
                  CountColumn("disruptions", "disruptions")}};
  for (const auto& [name, p] : windows) {
    table.rows.push_back({name, Maybe(p.goodput()), p.At(Bucket::kProductive), p.disruptions});
  }
  return table;
}

std::vector<Metric> Metrics(const Partition& p, const StepClock& clock) {
  const auto time = [](std::optional<int64_t> t) { return Maybe(t); };
  const auto some = [](int64_t t) { return t == 0 ? Cell() : Cell(t); };
  const auto ns = Unit::kNanoseconds;
  std::vector<Metric> metrics = {
      {"goodput_ratio", "goodput", Maybe(p.goodput()), Unit::kRatio},
      {"total", "total time", p.total(), ns},
      {"productive", "productive time", p.At(Bucket::kProductive), ns},
      {"disruptions", "disruptions", p.disruptions, Unit::kCount},
      {"max_productive_step", "last productive step", Maybe(p.max_productive_step), Unit::kNone},
      {"attempts", "attempts", static_cast<int64_t>(p.attempts.size()), Unit::kCount, true},
      {"open_step", "open step", Maybe(p.open_step), Unit::kNone},
      {"in_progress", "open step time", some(p.At(Bucket::kInProgress)), ns},
      {"steps_at_risk", "steps at risk", Maybe(p.steps_at_risk), Unit::kCount},
      {"ideal_step_time", "ideal step time", time(clock.ideal()), ns},
      {"median_step_time", "median step time", time(clock.median()), ns, true},
      {"step_time_deviation", "step time deviation (p90)", time(clock.recent_deviation()), ns},
      {"suspended", "recovery after planned ends", some(p.suspended), ns},
      {"async_data_loading", "overlapped data loading", some(p.async_loading), ns, true},
      {"active_slices", "active slices, mean", Maybe(p.active_slices), Unit::kRatio},
      {"available_slices", "available slices, mean", Maybe(p.available_slices), Unit::kRatio},
      {"start", "start", p.start, Unit::kUnixTime},
      {"end", p.running ? "end so far" : "end", p.end, Unit::kUnixTime},
      {"running", "running (1: yes)", static_cast<int64_t>(p.running), Unit::kNone, true},
      {"state", "state", p.state, Unit::kNone, true},
  };
  std::erase_if(metrics, [](const Metric& m) {
    return std::holds_alternative<std::monostate>(m.value) && m.key != "goodput_ratio" &&
           m.key != "max_productive_step";
  });
  return metrics;
}

Phrase StateInHeadline(const Partition& p) {
  if (p.running) return " (job is running)";
  if (p.state.empty() || p.state == "ended") return "";
  const bool silent = p.state == "silent";
  // Of a job that was cancelled or ran out of time, that is the cause.
  const bool by_itself = silent || p.state == "failed";
  const Phrase cause = by_itself && !p.attempts.empty() ? p.attempts.back().cause : Phrase();
  if (cause.empty())
    return silent ? " (job gave no further sign of life)" : Say(" (job {state})", p.state);
  return silent ? Say(" (job gave no further sign of life: {cause})", cause)
                : Say(" (job {state}: {cause})", p.state, cause);
}

Phrase Headline(const Partition& p) {
  const auto goodput = p.goodput();
  if (!goodput) return "Goodput is unknown: the whole window is excluded.";
  const auto counted = static_cast<double>(p.total() - p.At(Bucket::kExcluded));
  return Say("Goodput is {goodput} of {time}, with {disruptions}{state}.", HumanRatio(*goodput),
             HumanTime(counted),
             p.disruptions == 0 ? "no disruption"
                                : Plural(static_cast<size_t>(p.disruptions), "disruption"),
             StateInHeadline(p));
}

}  // namespace

Report NoGoodput(Phrase why) {
  return {.analysis = "goodput",
          .title = "Goodput",
          .status = Status::kUnavailable,
          .why = std::move(why)};
}

Report PartitionReport(const Partition& p, const StepClock& clock,
                       const std::vector<RollingWindow>& rolling) {
  if (p.unaccounted != 0) {
    return NoGoodput(
        Say("bucket sum differs from the total by {count} ns; please report this with the events",
            p.unaccounted));
  }
  if (p.total() == 0) return NoGoodput("the events or the window span no time");
  Report report{.analysis = "goodput", .title = "Goodput", .headline = Headline(p)};
  report.metrics = Metrics(p, clock);
  report.tables.push_back(BucketsTable(p));
  if (!rolling.empty()) report.tables.push_back(Rolling(rolling));
  if (!p.custom.empty()) report.tables.push_back(Custom(p));
  AddCourse(p, report);
  if (p.attempts.size() > 1) report.tables.push_back(Attempts(p));
  if (p.disruptions > 0) report.tables.push_back(Disruptions(p));
  report.findings = FindLosses(p, clock);
  return report;
}

}  // namespace stepscope::goodput
