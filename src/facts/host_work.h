// The host's side of one recording: what each thread was doing when it put work on a device.
//
// Operators and annotations of a thread nest, so they form a tree; a call of the runtime and a
// memory event hang below the innermost range around them on their own thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
inline constexpr int32_t kNoRange = -1;

// An operator or an annotation.
struct HostRange {
  int64_t start = 0;  // ns
  int64_t end = 0;
  StringId name = 0;
  uint32_t thread = 0;        // index into HostWork::threads
  int32_t parent = kNoRange;  // index into HostWork::ranges, always lower than the own one
  Kind kind = Kind::kOperator;

  int64_t duration() const { return end - start; }
};

// A call into the runtime or driver.
struct Call {
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t correlation = 0;  // 0: it has none, and no work can be its own
  StringId name = 0;
  uint32_t thread = 0;
  int32_t range = kNoRange;  // the innermost range around it
  CallRole role = CallRole::kOther;

  int64_t duration() const { return end - start; }
};

// An allocation (bytes > 0) or release (bytes < 0) by the framework's allocator.
struct MemoryEvent {
  int64_t time = 0;     // ns
  int64_t address = 0;  // 0: the trace does not say (2021)
  int64_t bytes = 0;
  int64_t allocated = -1;  // of the device, after the event; -1: the trace does not say
  int64_t reserved = -1;
  int64_t device = -1;       // number of the accelerator; -1: the host's own memory
  int32_t range = kNoRange;  // the innermost range around it
};

// A device's memory by its use, from an export that accompanies the trace. It tells neither blocks
// nor the device.
struct MemoryTimeline {
  std::vector<MemoryChange> changes;  // what was there before first, then by time
};

struct HostWork {
  std::vector<std::string> threads;  // as the trace names them, or their ids
  std::vector<HostRange> ranges;     // by thread, then start, then the longer first
  std::vector<Call> calls;           // by start
  std::vector<MemoryEvent> memory;   // by time
  std::vector<MemoryTimeline> memory_timelines;

  // The range around `range`, on up to the outermost, that `wanted` holds for; kNoRange if none.
  template <class Wanted>
  int32_t FindAround(int32_t range, const Wanted& wanted) const {
    while (range != kNoRange && !wanted(ranges[static_cast<size_t>(range)])) {
      range = ranges[static_cast<size_t>(range)].parent;
    }
    return range;
  }
};

// Names are ids of `trace.strings`.
HostWork BuildHostWork(const Trace& trace);

}  // namespace stepscope
