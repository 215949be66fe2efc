// Computes the model's parameters as means of measured sums.
#include "goodput/model/measured.h"

#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

namespace stepscope::goodput {
namespace {

std::unexpected<Error> Cannot(std::string why) {
  return std::unexpected(Error{"cannot fit the model: " + std::move(why), "",
                               "set `mtbf_s`, `save_s` and `restart_s` without the events"});
}

// Of intervals of work tau, each cut off with the chance that the next failure comes first, a save
// of w completes once every (e^(lambda tau) - 1) e^(lambda w) / lambda of work: solved for tau.
double IntervalS(double work_s, double saves, const Parameters& p) {
  const double rate = p.failures_per_s;
  if (rate == 0) return work_s / saves;
  return std::log1p(rate * work_s / saves * std::exp(-rate * p.save_s)) / rate;
}

// Restarts of length R that failures cut off, too, take (1 - e^(-lambda R)) / lambda a failure: by
// how much R is more than that. `all_s` is below the wall time, so the logarithm is of something
// positive.
double CutOffRestarts(double all_s, double wall_s) {
  const double share = all_s / wall_s;
  return share > 0 ? -std::log1p(-share) / share : 1;
}

}  // namespace

Result<Parameters> ParametersOf(const Measured& job) {
  for (const double s : {job.wall_s, job.productive_s, job.emergency_saves_s, job.saves_s,
                         job.persist_s, job.reschedule_s, job.restart_s}) {
    if (!std::isfinite(s) || s < 0) return Cannot("a measured time is negative or not finite");
  }
  if (job.interruptions < 0 || job.saves < 0) return Cannot("a measured number is negative");
  if (job.announced < 0 || job.announced > job.interruptions) {
    return Cannot("announced interruptions exceed all interruptions");
  }
  const double not_work_s = job.saves_s + job.emergency_saves_s + job.reschedule_s + job.restart_s;
  const double work_s = job.wall_s - not_work_s;
  if (work_s <= 0 || job.productive_s > work_s) {
    return Cannot("the parts of the job exceed its total time");
  }
  const auto failures = static_cast<double>(job.interruptions);
  const auto saves = static_cast<double>(job.saves);
  Parameters p;
  if (failures > 0) {
    p.failures_per_s = failures / job.wall_s;
    const double longer = CutOffRestarts(job.reschedule_s + job.restart_s, job.wall_s);
    p.reschedule_s = job.reschedule_s / failures * longer;
    p.restart_s = job.restart_s / failures * longer;
    p.announced_share = static_cast<double>(job.announced) / failures;
  }
  if (job.announced > 0) {
    p.emergency_save_s = job.emergency_saves_s / static_cast<double>(job.announced);
  }
  if (saves > 0) {
    p.save_s = job.saves_s / saves;
    p.persist_s = job.persist_s / saves;
    p.interval_s = IntervalS(work_s, saves, p);
  }
  return p;
}

}  // namespace stepscope::goodput
