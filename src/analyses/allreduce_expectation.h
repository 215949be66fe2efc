// Computes the time that a step's all-reduces should take, from bytes and bandwidth.
#pragma once

#include "analyses/analysis.h"
#include "facts/derived/collectives/allreduce_sums.h"

namespace stepscope {

// The expected time of a step's all-reduces.
struct AllReduceExpectation {
  double parameters = -1, bytes = -1;  // per step; -1: unknown
  double bandwidth = -1;               // bytes/s; -1: unknown
  bool given = false;                  // the bandwidth was given
  // All messages at the best rate of groups alike each, as of tensor and data parallel groups,
  // whose links differ. `bandwidth` is then the mean of these rates, and `bus` unknown.
  bool by_axis = false;
  double simple = -1, bus = -1;  // ns

  // The time to compare with. A best observed bandwidth is bytes / time already.
  double Best() const { return given && bus >= 0 ? bus : simple; }
};

AllReduceExpectation ExpectAllReduces(const AllReduceSums& sums, const AllReduceFacts& allreduces,
                                      const Params& params);

}  // namespace stepscope
