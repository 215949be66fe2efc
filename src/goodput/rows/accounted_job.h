// Holds the accounting of one job in few bytes: sums by day, and what happened when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "goodput/accounting/bucket.h"
#include "goodput/accounting/jobs.h"
#include "goodput/accounting/partition.h"
#include "goodput/accounting/scheduling.h"

namespace stepscope::goodput {

// What a job did on one day.
struct AccountedDay {
  int64_t day = 0;  // since 1970, UTC
  BucketTimes times{};
  std::optional<SchedulingTimes> scheduling;  // absent: no scheduler tells all of the job
};

// What a job did with its chips, for program goodput.
struct ProgramSums {
  double flops = 0;       // of the model
  double peak_flops = 0;  // of all chips, per second
  int64_t stepping = 0;   // ns in steps, kept or lost
  double mfu = 0;
};

struct AccountedJob {
  std::string name;
  Labels labels;
  std::optional<double> chips;
  int64_t start = 0, end = 0;
  std::string state;
  int64_t events = 0, attempts = 0, steps = 0;
  int64_t running = 0;  // ns in attempts
  BucketTimes times{};
  std::optional<double> goodput;
  std::optional<SchedulingTimes> scheduling;
  std::optional<ProgramSums> program;
  std::vector<Disruption> disruptions;
  std::vector<AccountedDay> days;  // in order, without gaps, from its submission on
};

// Nothing: the job has no attempt. `chips_per_job`: of a job that recorded no number; 0: unknown.
std::optional<AccountedJob> AccountFor(Job& job, std::optional<int64_t> at, double chips_per_job);

// The day of a moment, since 1970; the moment at which a day begins.
int64_t DayOf(int64_t time);
int64_t BeginOfDay(int64_t day);

}  // namespace stepscope::goodput
