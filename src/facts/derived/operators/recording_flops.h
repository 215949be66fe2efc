// Computes the FLOPs of a trace's devices, by operator and over its steps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/derived/operators/roofs.h"
#include "facts/facts.h"
#include "facts/operators/operator_flops.h"

namespace stepscope {

// Of one operator with operands of one type.
struct FlopsKey {
  StringId op = 0;
  NumberType type = NumberType::kOther;
  bool operator==(const FlopsKey&) const = default;
  auto operator<=>(const FlopsKey&) const = default;
};

using FlopsSums = std::map<FlopsKey, FlopsSum>;

// Of one step that another one follows in the same stretch: from its start to that of the next.
struct StepFlops {
  int64_t number = 0;
  int64_t time = 0;            // ns
  double model_peak_time = 0;  // ns that what the model needs of it takes one device at its peak
};

// Of one recording.
struct RecordingFlops {
  int64_t rank = 0, window = 0;
  FlopsSums operators;
  int64_t kernel_time = 0, covered = 0;  // ns; of kernels that are no communication
  int64_t time = 0;                      // ns of the steps, or of the span
  bool by_steps = false;
  double flops = 0, model = 0, peak_time = 0;  // within `time`; peak_time: ns of one device at peak
  double model_peak_time = 0;
  std::vector<StepFlops> steps;  // if by_steps: they add up to `time` and `model_peak_time`
  int64_t devices = 0;
  bool has_peak = false;
  int64_t without_peak = 0;  // executions within `time` whose type has no known peak there
  // Where the peaks are from, and of which types they are: "NVIDIA V100 data sheet: fp32".
  std::string chip, source;
};

// `given_peak`: FLOP per second of a device, for every type; 0: that of the chip.
RecordingFlops MeasureFlops(const Facts& facts, const RankActivity& rank, double given_peak);

// The same against the chip's own peaks, measured once.
const RecordingFlops& FlopsOf(const Facts& facts, const RankActivity& rank);

}  // namespace stepscope
