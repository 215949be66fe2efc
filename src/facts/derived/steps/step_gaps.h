// Measures gaps between one step's last kernel and the next step's first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "facts/derived/steps/gap_activity.h"
#include "facts/facts.h"

namespace stepscope {

struct StepGap {
  int32_t step = kNoStep;  // index into RankActivity::steps: the gap is before this one
  int64_t gap = 0;         // ns from the last kernel of the step before; 0 where steps overlap
  // ns of it in which nothing ran at all: no copy, no activity of any step, and where the host's
  // processors are the devices on none of them.
  int64_t idle = 0;
  int64_t copies = 0;  // ns of it in which memcpy and memset ran
  // What the host did meanwhile; its name is empty where that is not known.
  MainActivity host;
  // Where and when it did: until it launched the kernel that ended the gap.
  std::optional<uint32_t> thread;
  Interval during;
};

// The first kernel had been launched when the gap began: the device itself made it wait.
inline constexpr const char* kLaunchedAhead = "launched ahead";

// The gaps of a recording's devices, by their index, before steps that follow, by number, on
// another; both have kernels on the device. In the order of steps.
std::vector<std::vector<StepGap>> FindStepGaps(const StringTable& names, const RankActivity& rank);

}  // namespace stepscope
