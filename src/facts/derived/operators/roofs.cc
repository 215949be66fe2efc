// Looks up the peaks of devices, and sets costs against them.
#include "facts/derived/operators/roofs.h"

#include "base/time_units.h"

namespace stepscope {

Roofs::Roofs(const RankActivity& rank, double given_peak) : given_(given_peak > 0) {
  for (const int64_t device : rank.devices) {
    DevicePeaks peaks = PeaksOf(rank, device);
    has_tf32_.push_back(peaks.tf32 > 0);
    if (given_) peaks.bf16 = peaks.fp8 = peaks.int8 = peaks.tf32 = peaks.fp32 = given_peak;
    peaks_.push_back(std::move(peaks));
  }
}

FlopsSum Roofs::Of(const OperatorCost& cost, uint32_t device_index, bool tensor_cores) const {
  const double peak = PeakOf(cost.type, device_index, tensor_cores);
  const double bandwidth = peaks_[device_index].memory_bandwidth;
  return {.occurrences = 1,
          .flops = cost.flops,
          .bytes = cost.bytes,
          .at_peak = peak > 0 ? cost.flops / peak * kSecond : 0,
          .at_memory = bandwidth > 0 ? cost.bytes / bandwidth * kSecond : 0,
          .tf32 = cost.type == NumberType::kFp32 && tensor_cores && has_tf32_[device_index]};
}

}  // namespace stepscope
