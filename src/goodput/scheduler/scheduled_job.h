// A job as a scheduler's output tells it, and which of several is the job of given events.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "goodput/events/event.h"
#include "stepscope/phrase.h"

namespace stepscope::goodput {

struct ScheduledJob {
  bool slurm = false;               // else of Kubernetes
  std::string id;                   // Slurm's; on Kubernetes the name of the job's controller
  std::string raw_id;               // Slurm's number of an array's task; empty: `id` is it
  std::string name;                 // its name there
  std::vector<std::string> pods{};  // names
  std::vector<Event> events{};      // by time
  int64_t rows = 0;                 // of the output
};

// Joins what several files tell of one job.
void AddJobs(std::vector<ScheduledJob> more, std::vector<ScheduledJob>& jobs);

// What the events of a job tell of it.
struct JobIdentity {
  std::string name;
  std::set<std::string> slurm_ids{};  // of its attempts
  std::set<std::string> hosts{};      // of its processes
  std::optional<Interval> life{};     // absent: nothing is known of its times
};

struct OwnRows {
  std::vector<Event> events{};  // by time
  int64_t left_out = 0;         // rows of other jobs
  Phrase others{};              // whose, and why
  Phrase refusal{};             // why there are none, in a sentence
};

// Selects the scheduled jobs that are this one. Ids decide, or else names of pods, or else the
// job's name among several; what is an hour and more away from the job's life is not of it. Where
// nothing tells, none are.
OwnRows RowsOf(const std::vector<ScheduledJob>& jobs, const JobIdentity& job);

}  // namespace stepscope::goodput
