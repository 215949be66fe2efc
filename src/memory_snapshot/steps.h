// Follows requested memory from step to step, and finds places whose memory grows with each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"

namespace stepscope::memory {

// Microseconds since the epoch.
struct StepSpan {
  int64_t number = 0, start = 0, end = 0;
};

struct StepMemory {
  StepSpan span;
  int64_t allocations = 0, allocated = 0;  // in the step; bytes, requested
  int64_t peak = 0, at_end = 0;            // bytes, requested
};

// A place whose live bytes rise in nearly every step after the first.
struct Leak {
  StringId site = 0;
  int64_t grown = 0, steps = 0;  // steps in which it rises, of those compared
  int64_t first = 0, last = 0;   // bytes after the first and the last step
  StackId largest = 0;           // its stack with the most bytes at the end

  int64_t Each() const { return (last - first) / std::max<int64_t>(1, steps); }
};

struct StepGrowth {
  std::vector<StepMemory> steps;  // that meet the recording, by time
  std::vector<Leak> leaks;        // the largest rise first
  bool compared = false;          // there are enough steps to tell what grows with them
};

// Steps that the snapshot itself has: ranges named "ProfilerStep#N" of annotations that were
// recorded with it (global_record_annotations), else the stretches between ends of an optimizer's
// step: as annotations have them, or as the stacks on the device tell: the last that an optimizer
// allocates, or else frees (zero_grad), before others allocate again. By time.
std::vector<StepSpan> StepsOf(const MemorySnapshot& snapshot, const Sites& sites, int64_t device);

// REQUIRES: `spans` are by time. Of more than 64 steps leaks are looked for at 64 of them.
StepGrowth FollowSteps(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay,
                       const std::vector<StepSpan>& spans);

}  // namespace stepscope::memory
