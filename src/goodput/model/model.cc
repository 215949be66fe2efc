// Implements the closed forms. The exact one is a Markov renewal process of two states: an interval
// begins with all work durable, or while the last save is still being persisted.
#include "goodput/model/model.h"

#include <algorithm>
#include <cmath>

namespace stepscope::goodput {
namespace {

std::optional<double> IfMeaningful(double share) {
  return share >= 0 ? std::optional(share) : std::nullopt;
}

double WorkingShare(const Parameters& p) { return p.interval_s / (p.interval_s + p.save_s); }

// The mean time from a failure to the first step after it. A failure on the way starts over, and
// draws again whether a spare is free.
double RestartWithFailuresS(const Parameters& p) {
  const double rate = p.failures_per_s;
  const double with_s = p.swap_s + p.restart_s, without_s = p.reschedule_s + p.restart_s;
  const double fails = -p.spare_share * std::expm1(-rate * with_s) -
                       (1 - p.spare_share) * std::expm1(-rate * without_s);
  return fails / (rate * (1 - fails));
}

// What happens on average from the start of an interval to the next start, of whichever interval.
struct Passage {
  double survives = 0;     // probability that no failure comes before the save's end
  double running_s = 0;    // time before the save's end or the failure
  double announced_s = 0;  // work of this interval that an emergency save rescues
  double completed_save_s = 0;
};

Passage Pass(const Parameters& p, double length_s) {
  const double rate = p.failures_per_s;
  Passage passage;
  passage.survives = std::exp(-rate * length_s);
  passage.running_s = -std::expm1(-rate * length_s) / rate;
  passage.announced_s = p.announced_share * std::max(0.0, -std::expm1(-rate * p.interval_s) / rate -
                                                              p.interval_s * passage.survives);
  passage.completed_save_s = passage.survives * (length_s - p.interval_s);
  return passage;
}

Shares Never() { return {.goodput = 0, .saves = 0, .lost_work = 0, .restarts = 1}; }

}  // namespace

double MeanRestartS(const Parameters& p) {
  return p.restart_s + p.spare_share * p.swap_s + (1 - p.spare_share) * p.reschedule_s;
}

double MeanLostWorkS(const Parameters& p) {
  return (1 - p.announced_share) * (p.interval_s / 2 + p.persist_s) +
         p.announced_share * p.emergency_save_s;
}

std::optional<double> IntervalForm(const Parameters& p) {
  return IfMeaningful((p.interval_s - MeanLostWorkS(p)) / (p.interval_s + MeanRestartS(p)));
}

std::optional<double> UptimeForm(const Parameters& p) {
  const double rate = p.failures_per_s;  // M = 1 / rate, and no division by a rate of zero
  return IfMeaningful((1 - rate * MeanLostWorkS(p)) / (1 + rate * MeanRestartS(p)) *
                      WorkingShare(p));
}

std::optional<double> FirstOrderForm(const Parameters& p) {
  return IfMeaningful((1 - FirstOrderLoad(p)) * WorkingShare(p));
}

double FirstOrderLoad(const Parameters& p) {
  return p.failures_per_s * (MeanRestartS(p) + MeanLostWorkS(p));
}

Shares ExactForm(const Parameters& p) {
  const double rate = p.failures_per_s;
  if (rate <= 0) {
    const double length_s = std::max(p.interval_s + p.save_s, p.persist_s);
    return {.goodput = p.interval_s / length_s, .saves = 1 - p.interval_s / length_s};
  }
  const double length_s = p.interval_s + p.save_s;
  const Passage durable = Pass(p, length_s);
  const Passage pending = Pass(p, std::max(length_s, p.persist_s));
  // How often an interval begins in each state.
  const double leaves = -std::expm1(-rate * std::max(length_s, p.persist_s));
  const double begins_pending = durable.survives / (leaves + durable.survives);
  const double begins_durable = 1 - begins_pending;

  const double persisted = std::exp(-rate * p.persist_s);
  const double kept = persisted + p.announced_share * (1 - persisted);
  const double work_s = begins_durable * durable.announced_s +
                        begins_pending * (pending.announced_s + p.interval_s * kept);
  const double saves_s =
      begins_durable * durable.completed_save_s + begins_pending * pending.completed_save_s;
  const double running_s = begins_durable * durable.running_s + begins_pending * pending.running_s;
  const double failures = rate * running_s;  // of those that interrupt an interval
  const double emergency_s = failures * p.announced_share * p.emergency_save_s;
  const double restarts_s = failures * RestartWithFailuresS(p);
  const double all_s = running_s + emergency_s + restarts_s;
  if (!std::isfinite(all_s) || all_s <= 0) return Never();
  Shares shares{.goodput = work_s / all_s,
                .saves = (saves_s + emergency_s) / all_s,
                .lost_work = 0,
                .restarts = restarts_s / all_s};
  shares.lost_work = std::max(0.0, 1 - shares.goodput - shares.saves - shares.restarts);
  return shares;
}

}  // namespace stepscope::goodput
