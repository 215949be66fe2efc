// Reports the goodput of all jobs of a ledger, by team, user, project, cluster or queue.
//
//   auto answer = stepscope::GoodputFleet({.store = "ledger", .by = "team"});
//
// The answer is one Report, "goodput_fleet":
//   metrics  jobs, goodput_ratio, badput_time, and if known chip_hours, cost
//   tables   groups   group, week, jobs, time, goodput_ratio, badput_time, largest_badput,
//   chip_hours,
//                     badput_chip_hours, cost, badput_cost
//            badput   group, bucket, time, ratio, chip_hours, cost
//            worst    job, group, time, goodput_ratio, badput_time, largest_badput, chip_hours,
//            cost:
//                     the jobs that lost most
//            mend     bucket, time, points, chip_hours, cost, jobs, hint: what to mend first; one
//            row
//                     is what the fleet would gain if the cause were gone
//
// Shares weigh each job by its chips. Jobs without a recorded number of chips count as one chip,
// have no chip-hours, and are a note.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

struct GoodputFleetOptions {
  std::string store;        // a ledger, see goodput_ledger.h
  std::string by = "team";  // the label to group by; jobs without it: "(none)"
  bool weekly = false;      // a row for each week of a group, weeks as in ISO 8601, UTC
  std::optional<std::pair<int64_t, int64_t>> window;  // only this time, ns since 1970
  std::optional<int64_t> at;                          // end of running jobs; absent: now
  double chips_per_job = 0;                           // of jobs that recorded none; 0: unknown
  double price_per_chip_hour = 0;                     // in any currency; 0: unknown
};

Result<ReportSet> GoodputFleet(const GoodputFleetOptions& options);

}  // namespace stepscope
