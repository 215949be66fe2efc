// Holds what a partial says of a recording besides its steps, collectives and blocks of work
// (docs/formats/partials.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "trace/vocabulary.h"

namespace stepscope {

// The durations of all executions of one kernel, copy or set in the recording.
struct CondensedKernel {
  int64_t device = -1;  // -1: of all devices
  Kind kind = Kind::kCompute;
  StringId name = kNoString;
  int64_t count = 0;
  int64_t sum = 0;  // ns
  int64_t min = 0;
  int64_t max = 0;
  double mean = 0;     // ns
  double squares = 0;  // sum of squared deviations from it
};

struct CondensedRecording {
  // In the order of the recording; those of all devices, then, where there are several, of each.
  std::vector<CondensedKernel> kernels;
  std::vector<int64_t> incomplete_steps;  // numbers
  bool on_host = false;
  bool host_communicates = false;
  // Calls that launch kernels: all, those without a kernel, those that became nodes of a graph.
  int64_t launches = 0, launches_without_kernel = 0, launches_captured = 0;
};

}  // namespace stepscope
