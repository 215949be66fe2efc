// Lists all-reduces per device: time, size, and the phase that launched them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct AllReduce {
  uint32_t device = 0;  // index into Facts::devices
  uint32_t group = 0;   // index into CollectiveFacts::groups
  int32_t step = kNoStep;
  int64_t start = 0;  // ns, on the rank's own clock
  int64_t end = 0;
  // ns of it until the last rank arrived, one without a trace included; 0 where that is not known.
  int64_t wait = 0;
  int64_t alone = 0;    // ns in which no all-reduce ran that began before: these add up to a union
  int64_t exposed = 0;  // ns of that in which no compute kernel ran on the device
  int64_t exposed_transfer = 0;  // ns of that after the last rank arrived
  int64_t bytes = -1;            // of the message; -1: the trace does not say
  int64_t elements = -1;
  // Where its launch lies. kOther: in none, or the trace does not tell.
  Phase phase = Phase::kOther;
  bool phase_known = false;  // its recording has a backward phase, and the launch is in it

  int64_t duration() const { return end - start; }
};

struct AllReduceFacts {
  std::vector<AllReduce> all;  // by device, then start
  // The highest bytes / time of any, by the rank that arrived last; with the factor of nccl-tests,
  // 2(n-1)/n, what a link carried. -1: no sizes, or for the second no group sizes.
  double best_bandwidth = -1, best_bus_bandwidth = -1;
  // Of each of CollectiveFacts::groups, bytes/s: the best of any group of as many ranks as far
  // apart, as those of one axis of the layout, which share a kind of link. -1: unknown.
  std::vector<double> best_alike;
  bool several_axes = false;  // all-reduces with sizes are of groups that are not alike
  // All-reduces that a rank did where others did something else; not among `all`.
  int64_t mismatched = 0;
};

// Sizes are those that kernels give, or else of the tensors of the operator that launched them.
AllReduceFacts FindAllReduces(const Facts& facts);

// The number of elements of an operator's inputs: "[[8, 16], [], [4]]" has 132. Lists without a
// number are no tensors. -1: it cannot be told.
int64_t ElementsOfShapes(std::string_view shapes);

}  // namespace stepscope
