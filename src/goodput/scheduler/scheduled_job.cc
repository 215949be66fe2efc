// Compares what a scheduler tells of jobs with what a job tells of itself.
#include "goodput/scheduler/scheduled_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

using Candidates = std::vector<const ScheduledJob*>;

constexpr size_t kMostNames = 5;

// "Slurm jobs 7, 8".
Phrase NamesOf(const Candidates& jobs) {
  if (jobs.empty()) return "no job";
  std::string list;
  for (size_t k = 0; k < std::min(jobs.size(), kMostNames); ++k) {
    list += (k == 0 ? "" : ", ") + jobs[k]->id;
  }
  const Phrase ids = Phrase::Name(std::move(list));
  const bool slurm = jobs.front()->slurm;
  Phrase names = jobs.size() == 1 ? slurm ? Say("Slurm job {id}", ids) : Say("job {id}", ids)
                 : slurm ? Say("Slurm jobs {ids}", ids)
                                  : Say("jobs {ids}", ids);
  if (jobs.size() <= kMostNames) return names;
  return Say("{jobs} and {count} more", names, jobs.size() - kMostNames);
}

std::string ListOf(const std::set<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) list += (list.empty() ? "" : ", ") + id;
  return list;
}

// From the submission on; without an end if it goes on.
Interval LifeOf(const ScheduledJob& job) {
  if (job.events.empty()) return {0, 0};
  int64_t end = job.events.back().time;
  for (const Event& event : job.events) {
    if (event.kind != EventKind::kResources) continue;
    end = event.counts[0] == 0 ? job.events.back().time : std::numeric_limits<int64_t>::max();
  }
  return {job.events.front().time, end};
}

bool RanAtOnce(const Candidates& jobs) {
  for (size_t a = 0; a < jobs.size(); ++a) {
    for (size_t b = a + 1; b < jobs.size(); ++b) {
      const Interval first = LifeOf(*jobs[a]), second = LifeOf(*jobs[b]);
      if (first.start < second.end && second.start < first.end) return true;
    }
  }
  return false;
}

// Slurm names the parts of heterogeneous jobs "4711+0".
bool HasId(const ScheduledJob& job, const std::set<std::string>& ids) {
  return ids.contains(job.id) || ids.contains(job.raw_id) ||
         ids.contains(job.id.substr(0, job.id.find('+')));
}

// Tasks of arrays have a number that is not in `id`.
bool HidesId(const ScheduledJob& job) { return job.id.contains('_') && job.raw_id.empty(); }

// Hosts in pods have the pod's name, or that without its random end.
bool HasHost(const ScheduledJob& job, const std::set<std::string>& hosts) {
  return std::ranges::any_of(job.pods, [&](const std::string& pod) {
    return hosts.contains(pod) || hosts.contains(pod.substr(0, pod.rfind('-')));
  });
}

// "nlp/llm-7b" is the job llm-7b of a team.
bool HasName(const ScheduledJob& job, const std::string& name) {
  return !name.empty() && (job.name == name || name.ends_with("/" + job.name));
}

template <class Predicate>
Candidates Those(const Candidates& jobs, const Predicate& which) {
  Candidates some;
  std::ranges::copy_if(jobs, std::back_inserter(some),
                       [&](const ScheduledJob* job) { return which(*job); });
  return some;
}

// The jobs that are `job` by their names, with the reason to leave the others out, or to take none.
struct Named {
  Candidates own;
  Phrase why, refusal;
};

Named ByName(const Candidates& all, const JobIdentity& job) {
  if (all.size() == 1) return {.own = all, .why = {}, .refusal = {}};
  Candidates own = Those(all, [&](const auto& j) { return HasName(j, job.name); });
  if (own.empty() || RanAtOnce(own)) {
    return {.own = {},
            .why = {},
            .refusal = Say("Which of the scheduler's rows are of this job is unknown, and none is "
                           "used: they are of {jobs}; `scheduler_job` selects one.",
                           NamesOf(all))};
  }
  return {.own = std::move(own),
          .why = Say("have another name than {job}", Phrase::Name(job.name)),
          .refusal = {}};
}

Named Identify(const Candidates& all, const JobIdentity& job) {
  const Phrase of_ids = Say("the events name Slurm job {ids}", Phrase::Name(ListOf(job.slurm_ids)));
  const bool slurm = all.front()->slurm;
  if (slurm && !job.slurm_ids.empty()) {
    Candidates own = Those(all, [&](const auto& j) { return HasId(j, job.slurm_ids); });
    if (!own.empty()) return {.own = std::move(own), .why = of_ids, .refusal = {}};
    const Candidates hidden = Those(all, HidesId);
    if (!hidden.empty()) return ByName(hidden, job);
    return {.own = {},
            .why = {},
            .refusal = Say("The scheduler's rows are not of this job, and none is used: they are "
                           "of {jobs}, and {events}.",
                           NamesOf(all), of_ids)};
  }
  Candidates own = Those(all, [&](const auto& j) { return HasHost(j, job.hosts); });
  if (!own.empty()) return {.own = std::move(own), .why = "have none of its pods", .refusal = {}};
  return ByName(all, job);
}

bool IsNear(const ScheduledJob& scheduled, const Interval& life) {
  const Interval there = LifeOf(scheduled);
  return there.start - kHour <= life.end && life.start - kHour <= there.end;
}

// Why all rows are of another time.
Phrase FarFrom(const Candidates& own, const Interval& life) {
  int64_t before = std::numeric_limits<int64_t>::max(), after = before;
  for (const ScheduledJob* job : own) {
    const Interval there = LifeOf(*job);
    if (there.end < life.start) before = std::min(before, life.start - there.end);
    if (there.start > life.end) after = std::min(after, there.start - life.end);
  }
  const int64_t distance = std::min(before, after);
  const bool may_be_zone = own.front()->slurm && distance < 15 * kHour;
  const Phrase zone =
      may_be_zone ? Phrase("; `utc_offset` sets the zone of Slurm's times") : Phrase();
  const std::string time = fmt::format("{:.1f} h", Seconds(distance) / 3600);
  return before <= after
             ? Say("The scheduler's rows are not of this job, and none is used: {jobs} ended "
                   "{time} before the job's first event{zone}.",
                   NamesOf(own), time, zone)
             : Say("The scheduler's rows are not of this job, and none is used: {jobs} began "
                   "{time} after the job's last event{zone}.",
                   NamesOf(own), time, zone);
}

}  // namespace

void AddJobs(std::vector<ScheduledJob> more, std::vector<ScheduledJob>& jobs) {
  for (ScheduledJob& job : more) {
    const auto known = std::ranges::find_if(
        jobs, [&](const auto& j) { return j.slurm == job.slurm && j.id == job.id; });
    if (known == jobs.end()) {
      jobs.push_back(std::move(job));
      continue;
    }
    known->rows += job.rows;
    std::ranges::move(job.pods, std::back_inserter(known->pods));
    std::ranges::move(job.events, std::back_inserter(known->events));
    std::ranges::stable_sort(known->events, {}, &Event::time);
  }
}

OwnRows RowsOf(const std::vector<ScheduledJob>& jobs, const JobIdentity& job) {
  OwnRows rows;
  if (jobs.empty()) return rows;
  Candidates all;
  for (const ScheduledJob& scheduled : jobs) all.push_back(&scheduled);
  Named named = Identify(all, job);
  rows.refusal = std::move(named.refusal);
  Candidates own = std::move(named.own);
  if (job.life && !own.empty()) {
    Candidates near = Those(own, [&](const auto& j) { return IsNear(j, *job.life); });
    if (near.empty()) rows.refusal = FarFrom(own, *job.life);
    if (near.size() < own.size() && named.why.empty()) named.why = "are of another time";
    own = std::move(near);
  }
  const Candidates others =
      Those(all, [&](const ScheduledJob& j) { return std::ranges::find(own, &j) == own.end(); });
  for (const ScheduledJob* other : others) rows.left_out += other->rows;
  if (!others.empty()) {
    rows.others =
        named.why.empty() ? NamesOf(others) : Say("{jobs}: {why}", NamesOf(others), named.why);
  }
  for (const ScheduledJob* one : own)
    std::ranges::copy(one->events, std::back_inserter(rows.events));
  std::ranges::stable_sort(rows.events, {}, &Event::time);
  return rows;
}

}  // namespace stepscope::goodput
