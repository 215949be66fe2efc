// Computes checkpoint intervals: the published rules, and the best interval of each form of the
// model.
//
// With w save, M mean time between failures, R restart in all, tau work between saves:
//
//   Young         sqrt(2 w M)                                    doi 10.1145/361147.361115, 1974
//   Daly          sqrt(2 w M) (1 + 1/3 sqrt(w / 2M) + 1/9 (w / 2M)) - w, and M from w = 2M on
//                                                                doi 10.1016/j.future.2004.11.016
//   availability  w + sqrt(2 (M + R) w + w^2): from save to save arXiv 2410.18124
//   uptime form   sqrt(w^2 + 2 w M) - w
//   first order   sqrt(w^2 + 2 w (M - R)) - w
//   exact         where its derivative is zero: 1 - lambda tau = e^(-lambda (tau + w)) for Daly's
//   own
//
// The interval form of the model has no best interval: it always grows with the interval.
#pragma once

#include <optional>

#include "goodput/model/model.h"

namespace stepscope::goodput {

// REQUIRES of all three: mtbf_s > 0.
double YoungIntervalS(double save_s, double mtbf_s);
double DalyIntervalS(double save_s, double mtbf_s);
// From the start of a save to the start of the next: the work between is `save_s` less.
double AvailabilityPeriodS(double save_s, double mtbf_s, double restart_s);

// The best interval of each form, with the other parameters unchanged. No value where none exists:
// if failures never happen or are all announced, never saving is best; if a save is free, saving
// all the time is best. The first order also has none where it is nowhere positive.
std::optional<double> BestUptimeIntervalS(const Parameters& p);
std::optional<double> BestFirstOrderIntervalS(const Parameters& p);
std::optional<double> BestIntervalS(const Parameters& p);  // of the exact form

// `p` with another interval.
Parameters WithInterval(Parameters p, double interval_s);

}  // namespace stepscope::goodput
