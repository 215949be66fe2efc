// Gives the peak FLOP/s and bandwidth of a trace's devices.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "facts/activity/rank_activity.h"
#include "facts/operators/operator_flops.h"

namespace stepscope {

// Its compute capability as a number, 90 for 9.0, of NVIDIA's devices. AMD's compute versions are
// numbered alike and mean something else: nothing for those.
std::optional<int> ComputeCapabilityOf(const RankActivity& rank, int64_t device);

// Whether it is one of Google's, "TPU v5 lite", which has matrix units and no Tensor Cores.
bool IsTpu(const RankActivity& rank, int64_t device);

// Whether it is one of AMD's, whose units for matrices are matrix cores.
bool IsAmd(const RankActivity& rank, int64_t device);

// Whether it has Tensor Cores, or matrix cores; nothing where it is not known.
std::optional<bool> HasTensorCores(const RankActivity& rank, int64_t device);

struct DevicePeaks {
  std::string name;  // of the chip, "H100"
  double bf16 = 0;   // FLOP per second, 16 bit on matrix units; 0 in all: not known
  double fp8 = 0;
  double int8 = 0;
  double tf32 = 0;              // 32 bit on matrix units
  double fp32 = 0;              // on ordinary cores
  double memory_bandwidth = 0;  // bytes per second
  std::string source;           // where the numbers are from

  // For operands of this type, fp32 on matrix units or not. 0: not known.
  double Of(NumberType type, bool tensor_cores) const;
};

// As the trace says itself, which of TPUs is of a core; by the chip's name; else, where the trace
// tells clock and multiprocessors, from what those of its architecture do each cycle. All 0 where
// neither is known.
DevicePeaks PeaksOf(const RankActivity& rank, int64_t device);

}  // namespace stepscope
