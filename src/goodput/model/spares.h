// Computes how many spare nodes a job needs, and how often one is available.
#pragma once

#include <cstdint>

namespace stepscope::goodput {

// The share of failures that find a spare. Failed nodes are in repair for `repair_s` and then are
// spares again: the nodes in repair when one fails are Poisson distributed with mean failures_per_s
// * repair_s (M/G/infinity), and a spare is available if they are fewer than the spares. Without
// spares the share is 0.
double SpareShare(int64_t spares, double failures_per_s, double repair_s);

// The least number of spares of which at least `share` of failures find one; at most 100,000.
int64_t SparesFor(double share, double failures_per_s, double repair_s);

// The least number that `share` of the time is enough for those of `machines` that are down, each
// with `down_probability`: a quantile of the binomial distribution. ByteRobust (arXiv 2509.16293)
// keeps the P99, share 0.99, as warm standbys. REQUIRES: 0 <= machines <= 10^6, probability in
// 0..1, share < 1.
int64_t StandbyMachines(int64_t machines, double down_probability, double share);

}  // namespace stepscope::goodput
