// Derives the plan of a synthetic job from its options: duration and start of collectives, host
// delays.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/script.h"
#include "stepscope/demo.h"

namespace stepscope::demo {

// Some gradients that are reduced together.
struct Bucket {
  // The collective is launched when so much nominal compute of the backward pass is behind;
  // kAfterBackward when only its end makes the last gradient of the bucket ready.
  int64_t ready = 0;
  int64_t duration = 0;  // ns from the moment when all ranks have started
  int64_t elements = 0;
};

inline constexpr int64_t kAfterBackward = INT64_MAX;

struct Plan {
  DemoOptions options;
  const Script* script = nullptr;
  std::vector<Bucket> buckets;  // in the order they are launched
  int64_t host_gap = 0;         // ns per step

  // Whether compute of this rank's device takes `slow_factor` as long in this step.
  bool IsSlow(int rank, int device, int64_t step) const {
    const bool is_it = options.slow_device < 0 || device == options.slow_device;
    return rank == options.slow_rank && is_it && step >= options.slow_since;
  }
  // ns that the clock of this rank is ahead of the true time.
  int64_t ClockOffset(int rank) const;
};

// REQUIRES: options that ValidateOptions accepts.
Plan MakePlan(const DemoOptions& options);

}  // namespace stepscope::demo
