// Cuts the time of a job at midnight, once for all days.
#include "goodput/rows/accounted_job.h"

#include <algorithm>

#include "base/time_units.h"
#include "goodput/ledger/load_jobs.h"
#include "goodput/program/program_use.h"
#include "goodput/report/fleet.h"
#include "goodput/report/scheduler_coverage.h"
#include "hardware/chips.h"

namespace stepscope::goodput {
namespace {

// Adds a period to the days that it is in. Periods come in order and without gaps.
void AddPeriod(const Period& period, std::vector<AccountedDay>& days) {
  for (int64_t from = period.start; from < period.end;) {
    const int64_t day = DayOf(from);
    const int64_t to = std::min(period.end, BeginOfDay(day + 1));
    if (days.empty() || days.back().day != day) days.push_back({.day = day});
    days.back().times[static_cast<size_t>(period.bucket)] += to - from;
    from = to;
  }
}

// Days of which the job's own events tell nothing: it waited for its chips.
void AddDaysFrom(int64_t time, int64_t start, std::vector<AccountedDay>& days) {
  const int64_t until = days.empty() ? DayOf(start) + 1 : days.front().day;
  std::vector<AccountedDay> before;
  for (int64_t day = DayOf(time); day < until; ++day) before.push_back({.day = day});
  days.insert(days.begin(), before.begin(), before.end());
}

// Scheduling goodput of a job that its scheduler knew from the start on.
void AddScheduling(const Scheduling& scheduling, const Partition& whole, AccountedJob& job) {
  if (!scheduling.known() || BeforeScheduler(whole, scheduling) > 0) return;
  job.scheduling = scheduling.Query(whole.end);
  AddDaysFrom(scheduling.first().value_or(whole.start), whole.start, job.days);
  for (AccountedDay& day : job.days) {
    day.scheduling =
        scheduling.Query(whole.end, Interval{BeginOfDay(day.day), BeginOfDay(day.day + 1)});
  }
}

// Of a job that names its chip and recorded its FLOPs.
std::optional<ProgramSums> ProgramOf(const AccountedJob& job, const Accounting& accounting,
                                     const Partition& whole) {
  const auto label = job.labels.find("chip");
  const Chip* chip = label == job.labels.end() ? nullptr : FindChip(label->second);
  if (chip == nullptr || chip->bf16 <= 0 || !job.chips) return std::nullopt;
  const auto use = UseOf({.peak = chip->bf16, .chips = *job.chips}, accounting, whole);
  // More than the peak is an error of the input.
  if (!use || use->mfu > 1) return std::nullopt;
  return ProgramSums{.flops = use->flops,
                     .peak_flops = use->peak_flops,
                     .stepping = SteppingTime(whole),
                     .mfu = use->mfu};
}

}  // namespace

int64_t DayOf(int64_t time) { return time / kDay - (time % kDay < 0 ? 1 : 0); }
int64_t BeginOfDay(int64_t day) { return day * kDay; }

std::optional<AccountedJob> AccountFor(Job& job, std::optional<int64_t> at, double chips_per_job) {
  if (job.accounting.empty()) return std::nullopt;
  PartitionQuery query = UpTo(at);
  query.periods = true;
  Partition whole = job.accounting.Query(query);
  if (whole.attempts.empty()) return std::nullopt;
  AccountedJob accounted{.name = job.name,
                         .labels = job.labels,
                         .chips = ChipsOf(job, chips_per_job),
                         .start = whole.start,
                         .end = whole.end,
                         .state = whole.state,
                         .events = job.events,
                         .attempts = static_cast<int64_t>(whole.attempts.size()),
                         .times = whole.times,
                         .goodput = whole.goodput()};
  for (const AttemptAccount& attempt : whole.attempts) {
    accounted.running += attempt.end - attempt.start;
    accounted.steps += attempt.steps;
  }
  for (const Period& period : whole.periods) AddPeriod(period, accounted.days);
  AddScheduling(job.accounting.scheduling(), whole, accounted);
  accounted.program = ProgramOf(accounted, job.accounting, whole);
  accounted.disruptions = std::move(whole.disruption_list);
  return accounted;
}

}  // namespace stepscope::goodput
