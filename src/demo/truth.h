// Computes the ground truth: device activity measured on the simulation itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "demo/kernels.h"
#include "demo/plan.h"

namespace stepscope::demo {

// Some work of an accelerator.
struct ActivitySpan {
  ActivityKind kind = ActivityKind::kCompute;
  int64_t start = 0, end = 0;
};

// How a stretch of an accelerator's time was used, in ns. Times of one kind count once where work
// of that kind overlaps; memory is copies and memsets.
struct Usage {
  int64_t start = 0, end = 0;  // of the first and the last work
  int64_t busy = 0;
  int64_t compute = 0, communication = 0, memory = 0;
  int64_t overlapped = 0;  // communication while there was compute
  int64_t gpu_events = 0;
};

// The usage by `work`, which may stand in any order.
Usage Measure(std::span<const ActivitySpan> work);

struct StepTruth {
  int64_t step = 0;
  int64_t start = 0, end = 0;  // of ProfilerStep#N on the host
  Usage gpu;                   // of the work launched in the step
  int64_t host_gap = 0;        // the idle time that the planted gap caused
};

struct KernelTruth {
  int64_t count = 0;
  int64_t sum = 0;  // ns
};

// Of one device of a rank; almost always it is the only one.
struct RankTruth {
  int rank = 0;
  int device = 0;  // its number in the trace
  std::vector<StepTruth> steps;
  std::vector<KernelTruth> kernels;  // by the kernel's place in AllKernels()
  // Of the trace file, which all devices of the rank share.
  std::string file;
  int64_t events = 0;
  int64_t raw_bytes = 0;
};

// truth.json.
std::string TruthJson(const Plan& plan, std::span<const RankTruth> ranks);

}  // namespace stepscope::demo
