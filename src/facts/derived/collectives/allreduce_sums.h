// Sums the all-reduces of complete steps by device and by kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "facts/derived/collectives/allreduces.h"

namespace stepscope {

// One device's all-reduces in the steps that count.
struct AllReduceSum {
  const DeviceFacts* device = nullptr;
  int64_t steps = 0;
  int64_t calls = 0;
  int64_t measured = 0, transfer = 0, exposed = 0;  // ns, unions
  int64_t exposed_transfer = 0;                     // ns of `exposed` without waiting
  int64_t waiting = 0;                              // ns, sum
  int64_t bytes = 0, gradient_bytes = 0, gradient_elements = 0;
  int64_t at_best = 0;      // ns that these bytes take at the best rate of groups alike
  bool sized = true;        // all sizes are known
  int64_t group_size = -1;  // of the group that moves the most bytes, or calls

  int64_t Each(int64_t sum) const { return sum / steps; }
};

// All-reduces of one group, size and phase, on all devices.
struct AlikeAllReduces {
  int64_t calls = 0;
  int64_t time = 0, waiting = 0, exposed = 0;  // ns
  int64_t exposed_transfer = 0;                // ns of `exposed` without waiting
};
using AllReduceKind = std::tuple<std::string, int64_t, std::string>;  // group, bytes, phase or ""

struct AllReduceSums {
  std::vector<AllReduceSum> devices;  // with all-reduces
  std::map<AllReduceKind, AlikeAllReduces> alike;
  int64_t outside = 0;  // in no step, or in one that does not count: left out
  int64_t unsized = 0;  // without a size, of those that count

  int64_t Steps() const {
    int64_t steps = 0;
    for (const AllReduceSum& d : devices) steps += d.steps;
    return steps;
  }
  // The mean over all steps of all devices.
  double Mean(int64_t AllReduceSum::* sum) const {
    double total = 0;
    for (const AllReduceSum& d : devices) total += static_cast<double>(d.*sum);
    return total / static_cast<double>(std::max<int64_t>(Steps(), 1));
  }
  // Of the devices' spans, how much the sum of a part over devices is.
  double ShareOfTime(int64_t part) const {
    double span = 0;
    for (const AllReduceSum& d : devices) span += static_cast<double>(d.device->total.Span());
    return span <= 0 ? 0 : static_cast<double>(part) / span;
  }
};

// Adds up those of complete steps; where no step is complete, of all, and where none is marked,
// all that was recorded counts as one. Linear but for sorting.
AllReduceSums AddUp(const Facts& facts, const AllReduceFacts& allreduces);

}  // namespace stepscope
