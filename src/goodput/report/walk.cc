// Maps the steps of traces to those of the job, by the wall clock.
#include "goodput/report/walk.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/time_units.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

// Hosts of one job differ by less.
constexpr int64_t kClockSlack = kMinute;
// A profiler slows steps, rarely by more; nothing makes them faster.
constexpr double kMostSlower = 1.5, kMostFaster = 1.25;

struct TracedSpan {
  int64_t start = 0, end = 0;
};

TracedSpan TracedSpanOf(const std::vector<TracedStep>& steps) {
  return {std::ranges::min(steps, {}, &TracedStep::start).start,
          std::ranges::max(steps, {}, &TracedStep::end).end};
}

std::string Human(int64_t time) { return HumanTime(static_cast<double>(time)); }

// Why the time of the traces is not the job's; empty: it may be.
Phrase Outside(const Partition& whole, const std::vector<TracedStep>& steps) {
  if (steps.empty() || whole.attempts.empty()) return "";
  const TracedSpan traced = TracedSpanOf(steps);
  const int64_t start = traced.start, end = traced.end;
  const auto meets = [&](const AttemptAccount& a) {
    return start <= a.end + kClockSlack && end >= a.start - kClockSlack;
  };
  if (std::ranges::any_of(whole.attempts, meets)) return "";
  const int64_t first = whole.attempts.front().start, last = whole.attempts.back().end;
  if (end < first) return Say("the traces end {time} before the job starts", Human(first - end));
  if (start > last)
    return Say("the traces begin {time} after the job's last event", Human(start - last));
  return Say("the traces were made at {moment}, between two attempts of the job",
             HumanMoment(start));
}

// Why the step time of the traces is not the job's; empty: it may be, or one of them is unknown.
Phrase OtherStepTime(std::optional<int64_t> job, int64_t traced) {
  if (!job || *job <= 0 || traced <= 0) return "";
  const double ratio = static_cast<double>(traced) / static_cast<double>(*job);
  if (ratio <= kMostSlower && ratio >= 1 / kMostFaster) return "";
  return Say("the step time of the traces is {traced}, and the job's is {job}", Human(traced),
             Human(*job));
}

struct Mapped {
  TracedStep traced;
  Accounting::StepPlace place;
};

// The step of the job that took most of each traced one: the one at its middle.
std::vector<Mapped> Map(const Accounting& accounting, const std::vector<TracedStep>& steps) {
  std::vector<Mapped> mapped;
  for (const TracedStep& step : steps) {
    const auto place = accounting.StepAt(step.start + (step.end - step.start) / 2);
    if (place) mapped.push_back({step, *place});
  }
  return mapped;
}

Table StepsTable(const std::vector<Mapped>& mapped) {
  Table table{.key = "steps",
              .title = "Traced steps",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("trace_step", "step in the trace"),
                          ValueColumn("step", "step of the job"), ValueColumn("attempt", "attempt"),
                          TimeColumn("step_time", "step time")},
              .text_rows = 6};
  for (const auto& [traced, place] : mapped) {
    table.rows.push_back({traced.rank, traced.number, place.step,
                          static_cast<int64_t>(place.attempt) + 1, traced.end - traced.start});
  }
  return table;
}

Phrase Range(int64_t first, int64_t last) {
  return first == last ? Say("step {step}", first) : Say("steps {first} to {last}", first, last);
}

Phrase Headline(const std::vector<Mapped>& mapped, int64_t traced, std::optional<int64_t> job) {
  Phrase text;
  if (!mapped.empty()) {
    const auto numbers =
        std::ranges::minmax(mapped, {}, [](const Mapped& m) { return m.traced.number; });
    const auto steps =
        std::ranges::minmax(mapped, {}, [](const Mapped& m) { return m.place.step; });
    const auto attempts =
        std::ranges::minmax(mapped, {}, [](const Mapped& m) { return m.place.attempt; });
    const Phrase from = Range(numbers.min.traced.number, numbers.max.traced.number);
    const Phrase of_job = Range(steps.min.place.step, steps.max.place.step);
    const size_t first = attempts.min.place.attempt + 1, last = attempts.max.place.attempt + 1;
    const Phrase attempt = first == last ? Say("attempt {attempt}", first)
                                         : Say("attempt {first} to {last}", first, last);
    text = numbers.min.traced.number == numbers.max.traced.number
               ? Say("Traced {steps} is {of_job} of the job, {attempt}. ", from, of_job, attempt)
               : Say("Traced {steps} are {of_job} of the job, {attempt}. ", from, of_job, attempt);
  }
  if (traced > 0 && job)
    text +=
        Say("Step time is {traced} in the traces, {job} in the job.", Human(traced), Human(*job));
  return text.empty() ? Phrase("The traces do not say which steps of the job they show.") : text;
}

}  // namespace

Report WalkReport(const Accounting& accounting, const Partition& whole, const TracedTime& traced) {
  Report report{.analysis = "walk", .title = "Job and traces"};
  const std::optional<int64_t> job = accounting.step_clock().median();
  report.why = Outside(whole, traced.steps);
  if (report.why.empty()) report.why = OtherStepTime(job, traced.step_time);
  if (!report.why.empty()) {
    report.status = Status::kUnavailable;
    return report;
  }
  const std::vector<Mapped> mapped = Map(accounting, traced.steps);
  report.metrics = {{"trace_step_time", "step time in the traces",
                     traced.step_time > 0 ? Cell(traced.step_time) : Cell(), Unit::kNanoseconds},
                    {"job_step_time", "step time of the job", Maybe(job), Unit::kNanoseconds}};
  report.headline = Headline(mapped, traced.step_time, job);
  report.tables.push_back(StepsTable(mapped));
  if (traced.steps.empty()) {
    report.notes.push_back(
        {"traces_without_clock", 1,
         "the traces do not say when they were made (their steps are not mapped)", ""});
  }
  return report;
}

}  // namespace stepscope::goodput
