// Compares what operators compute and move with what their device can.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/saturate.h"
#include "facts/devices/device_peaks.h"
#include "facts/facts.h"
#include "facts/operators/operator_cost.h"

namespace stepscope {

// Of executions of operators.
struct FlopsSum {
  int64_t occurrences = 0;
  int64_t time = 0;  // ns of activities
  double flops = 0, bytes = 0;
  double at_peak = 0;    // ns that computing it takes at the peak; 0: no peak is known
  double at_memory = 0;  // ns that moving its bytes takes
  bool tf32 = false;     // set against the peak of TF32

  void Add(const FlopsSum& o) {
    occurrences += o.occurrences;
    time = AddSaturated(time, o.time);
    flops += o.flops;
    bytes += o.bytes;
    at_peak += o.at_peak;
    at_memory += o.at_memory;
    tf32 |= o.tf32;
  }
  // At most 1: more is a compiler's count that is too high, or a chip's figure that is too low.
  double Roofline() const { return ShareOfTime(std::max(at_peak, at_memory)); }
  double Utilization() const { return ShareOfTime(at_peak); }
  bool MemoryBound() const { return at_memory > at_peak; }

 private:
  double ShareOfTime(double least) const {
    return time > 0 ? std::min(least / static_cast<double>(time), 1.0) : 0;
  }
};

// The peaks of a recording's devices.
class Roofs {
 public:
  // `given_peak`: FLOP per second of a device, for every type; 0: that of the chip.
  Roofs(const RankActivity& rank, double given_peak);

  // What one execution of this cost adds, but for its time. `tensor_cores`: its kernels use them.
  FlopsSum Of(const OperatorCost& cost, uint32_t device_index, bool tensor_cores) const;
  // FLOP per second for operands of this type; 0: not known.
  double PeakOf(NumberType type, uint32_t device_index, bool tensor_cores) const {
    return peaks_[device_index].Of(type, tensor_cores);
  }

  bool given() const { return given_; }
  // By device index, with the peak that was given in place of the chip's.
  const std::vector<DevicePeaks>& peaks() const { return peaks_; }

 private:
  bool given_;
  std::vector<DevicePeaks> peaks_;
  std::vector<bool> has_tf32_;  // of the device itself
};

}  // namespace stepscope
