// The accelerator work of one recording: sorted, linked to launches, assigned to steps.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// What BuildRankWork() reads of a trace; the least a reader has to keep.
inline constexpr KindSet kRankWorkNeeds = kGpuWork | KindSet{Kind::kRuntime, Kind::kAnnotation};

inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kNoStep = -1;

// A kernel, copy or set on a device.
struct Work {
  int64_t start = 0;  // ns
  int64_t end = 0;    // ns, not before start
  int64_t launched =
      kNoTime;  // when the call began that launched it; kNoTime: no call in the trace
  // When all earlier work of its stream had ended; kNoTime for the first. The stream was idle from
  // then to `start`, unless that is not positive: work of one stream can overlap.
  int64_t free_since = kNoTime;
  StringId name = 0;
  uint32_t stream = 0;  // index into RankWork::streams
  int32_t step =
      kNoStep;  // index into RankWork::steps: the step whose annotation the call began in
  Kind kind = Kind::kCompute;

  int64_t duration() const { return end - start; }
};

struct Stream {
  int64_t device = -1;
  int64_t stream = -1;
  uint32_t device_index = 0;  // index into RankWork::devices
};

// A training step, from the host's ProfilerStep#N annotation.
struct Step {
  int64_t number = 0;
  int64_t start = 0;  // ns, of the annotation
  int64_t end = 0;
  // The accelerator's records of this step reach to its last launch. The last step of a recording
  // often is not complete: recording stopped before its kernels had run.
  bool complete = true;
  // Of selected steps: which stretch of them it is in. Between two stretches lie steps that do not
  // count.
  int32_t stretch = 0;
};

struct RankWork {
  int64_t rank = 0;
  int64_t window = 0;            // which recording of this rank
  std::vector<Work> work;        // by start, then end, then stream, then name
  std::vector<Stream> streams;   // by device, then stream
  std::vector<int64_t> devices;  // ascending
  std::vector<Step> steps;       // by start
  std::string device_name;
};

// Derives a recording's work. Rank and window are left for the caller to set, and names are ids of
// `trace.strings`. What had to be left out or guessed is counted in trace.notes.
RankWork BuildRankWork(Trace& trace);

}  // namespace stepscope
