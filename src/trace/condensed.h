// Holds what a partial says of a recording besides its steps, collectives and blocks of work
// (docs/formats/partials.md).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "trace/purpose_names.h"
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

// What a complete step went to, where none is marked the whole recording, ns: its parts add up to
// it, and so do its roles, in the order of facts/steps/step_breakdown.h.
inline constexpr size_t kCondensedParts = 15, kCondensedRoles = 8;
struct CondensedStep {
  int64_t number = 0;
  int64_t start = 0, end = 0;  // ns: the stretch of the time line that is this step
  std::array<int64_t, kCondensedParts> parts{};
  std::array<int64_t, kCondensedRoles> roles{};
};

// Idle time of a device that work which runs as fast as it can has between kernels, at most, ns.
inline constexpr int64_t kPause = 20'000;

// What the work that was launched in a step says of the host.
struct CondensedEffort {
  int64_t device = -1;    // -1: of the host
  int64_t step = -1;      // its number; -1: work that was launched in none
  int64_t kernels = 0;    // compute kernels of the device
  int64_t host_late = 0;  // ns that the device had nothing to do until a launch that came too late
  // ns between kernels, less than kPause each time, though they were launched in time
  int64_t pauses = 0;
  int64_t input = 0;  // ns of the host in ranges of a data loader
};

// Of a stream, ns: how long it was busy, and why it was idle between two activities
// (facts/devices/stream_idle.h).
struct CondensedStream {
  int64_t device = 0;
  int64_t stream = 0;
  int64_t events = 0;
  int64_t busy = 0;     // union of activities
  int64_t compute = 0;  // of which added by compute kernels
  int64_t host_wait = 0, kernel_wait = 0, other = 0;
  int64_t one_time = 0;  // of host_wait, during one-time work
};

// A host's waits for idle devices in calls of one name (facts/devices/idle_wait_sums.h).
struct CondensedWait {
  StringId call = kNoString;
  int64_t calls = 0;
  int64_t time = 0;  // ns
  int64_t longest = 0;
  StringId op = kNoString, annotation = kNoString;  // around the longest
};

struct CondensedRecording {
  // In the order of the recording; those of all devices, then, where there are several, of each.
  std::vector<CondensedKernel> kernels;
  std::vector<int64_t> incomplete_steps;  // numbers
  bool on_host = false;
  bool host_communicates = false;
  // Calls that launch kernels: all, those without a kernel, those that became nodes of a graph.
  int64_t launches = 0, launches_without_kernel = 0, launches_captured = 0;
  std::vector<CondensedStep> steps;  // by start
  int64_t recorded = 0;              // ns of the whole recording; 0: no steps are marked
  std::array<int64_t, kCondensedParts> before_steps{};  // ns until the first complete step
  bool steps_are_marked = false;  // else there is one, of the whole recording, or none
  std::vector<CondensedEffort> efforts;
  std::vector<CondensedStream> streams;  // by device, then stream
  std::vector<CondensedWait> waits;
  int64_t queued = 0;  // ns of the first step in which work ran that was launched before
  Purpose purpose = Purpose::kUnknown;
  bool compiled = false;  // by PyTorch's compiler
};

}  // namespace stepscope
