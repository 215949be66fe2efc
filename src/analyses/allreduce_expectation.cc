// Computes the time that a step's all-reduces should take.
#include "analyses/allreduce_expectation.h"

#include <algorithm>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {

AllReduceExpectation ExpectAllReduces(const AllReduceSums& sums, const AllReduceFacts& allreduces,
                                      const Params& params) {
  AllReduceExpectation e;
  if (const int64_t given = params.Integer("parameters"); given > 0) {
    e.parameters = static_cast<double>(given);
    e.bytes = e.parameters *
              static_cast<double>(std::max<int64_t>(params.Integer("bytes_per_parameter"), 1));
  } else if (std::ranges::all_of(sums.devices, &AllReduceSum::sized)) {
    const double bytes = sums.Mean(&AllReduceSum::gradient_bytes);
    if (bytes > 0) e.bytes = bytes;
    if (bytes > 0) e.parameters = sums.Mean(&AllReduceSum::gradient_elements);
  }
  e.given = params.Number("bandwidth") > 0;
  e.bandwidth = e.given ? params.Number("bandwidth") : allreduces.best_bandwidth;
  e.by_axis = !e.given && allreduces.several_axes && e.bytes >= 0 &&
              params.Integer("parameters") <= 0 && sums.Mean(&AllReduceSum::at_best) > 0;
  if (e.by_axis) {
    e.bytes = sums.Mean(&AllReduceSum::bytes);
    e.simple = sums.Mean(&AllReduceSum::at_best);
    e.bandwidth = e.bytes / e.simple * kSecond;
    return e;
  }
  if (e.bytes < 0 || e.bandwidth <= 0) return e;
  e.simple = std::min(e.bytes / e.bandwidth * kSecond, kMostInt64);
  const double bus = e.given ? e.bandwidth : allreduces.best_bus_bandwidth;
  const auto factor = BusFactor(CollectiveOp::kAllReduce, sums.devices.front().group_size);
  if (factor && bus > 0) e.bus = std::min(e.bytes * *factor / bus * kSecond, kMostInt64);
  return e;
}

}  // namespace stepscope
