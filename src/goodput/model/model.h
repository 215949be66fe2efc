// Predicts the share of time a job turns into progress, from its failure rate and its
// countermeasures.
//
// The job works for `interval`, saves for `save`, and so on. Failures come as a Poisson process;
// each costs a restart and the work since the last durable checkpoint, unless it was announced and
// the job saved in time. Symbols: lambda failures a second, M = 1 / lambda, tau interval, w save, P
// persist, R restart in all, g share of announced failures, e emergency save, t_ch mean work lost
// at a failure.
//
//   t_ch         (1 - g) (tau / 2 + P) + g e
//   interval     (tau - t_ch) / (tau + R)                               one failure an interval
//   uptime       (M - t_ch) / (M + R)  tau / (tau + w)                  one failure an uptime
//   first order  (1 - lambda (R + t_ch)) / (1 + w / tau)                Kokolis et al., arXiv
//   2410.21680 exact        lambda tau / (e^(lambda R) (e^(lambda (tau + w)) - 1)) Daly, 2006, doi
//                10.1016/j.future.2004.11.016; here with announced failures, persisting in the
//                background, and two kinds of restart
//
// The interval form is the one published with ML productivity goodput, (CI - t_ch) / (CI + t_re +
// t_rm) with R = t_re + t_rm. Read literally it has one failure in each checkpoint interval CI; the
// uptime form puts the mean time between failures in its place. The first two know no failure
// during a restart or a save, and no second failure in an interval: they break down as lambda (R +
// t_ch) grows.
#pragma once

#include <optional>

namespace stepscope::goodput {

// Times in seconds. REQUIRES of every function: nothing negative or infinite, interval_s > 0,
// shares from 0 to 1.
struct Parameters {
  double failures_per_s = 0;    // of the whole job
  double interval_s = 0;        // of work, from the end of a save to the start of the next
  double save_s = 0;            // for which a save blocks the job
  double persist_s = 0;         // from the end of the save until it is durable; work goes on
  double reschedule_s = 0;      // until nodes are available, without a spare
  double swap_s = 0;            // until a spare has taken the failed node's place
  double spare_share = 0;       // of failures that find a spare
  double restart_s = 0;         // from having nodes to the first step: start, restore, compile
  double announced_share = 0;   // of failures announced early enough to save
  double emergency_save_s = 0;  // for which it then blocks, until the save is durable
};

double MeanRestartS(const Parameters& p);   // R: with and without a spare
double MeanLostWorkS(const Parameters& p);  // t_ch

// No value where the form is negative, where it is invalid. Without failures the last two equal
// tau / (tau + w); the interval form still has its one failure.
std::optional<double> IntervalForm(const Parameters& p);
std::optional<double> UptimeForm(const Parameters& p);
std::optional<double> FirstOrderForm(const Parameters& p);

// Long-run shares of time, which add up to 1.
struct Shares {
  double goodput = 0;
  double saves = 0;      // completed saves, including the wait for the previous one
  double lost_work = 0;  // redone, or lost in a save cut off by a failure
  double restarts = 0;
};

// Exact for the process above. Failures occur during work, saves and restarts, but not during an
// emergency save. After a restart a full interval passes before the next save. A save waits until
// the previous one is durable.
Shares ExactForm(const Parameters& p);

// lambda (R + t_ch): the share of time that the first order gives to failures. It neglects
// terms of the order of its square; see kFirstOrderHolds.
double FirstOrderLoad(const Parameters& p);

// Up to this load the first order is within 2 pp of the exact form: half the square of the
// load.
inline constexpr double kFirstOrderHolds = 0.2;

}  // namespace stepscope::goodput
