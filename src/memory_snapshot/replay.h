// Replays the events of a device: from what lives at the end back to the start, and forwards to the
// peak.
//
// An allocation lives from `alloc` to `free_completed`: until then its memory serves nobody else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ingest/snapshot/snapshot.h"

namespace stepscope::memory {

// Requested bytes, and allocations.
struct Amount {
  int64_t bytes = 0, count = 0;

  Amount& operator+=(const Amount& more) {
    bytes += more.bytes;
    count += more.count;
    return *this;
  }
};

struct Oom {
  int64_t time = 0;                     // microseconds since the epoch
  int64_t wanted = 0;                   // bytes, requested
  int64_t device_free = 0;              // bytes that the device had free
  int64_t requested = 0, reserved = 0;  // bytes, then
  StackId stack = 0;
  bool last = false;  // nothing was allocated or freed after it: segments are as it found them
};

// Allocations that live at once and are followed by their address; more are only summed.
inline constexpr size_t kMostLive = size_t{1} << 21;

inline constexpr size_t kWindows = 8;  // parts of a recording, of equally many events

struct Replay {
  int64_t device = 0;
  int64_t events = 0;
  // Bytes that were requested.
  int64_t at_start = 0, peak = 0, at_end = 0;
  int64_t peak_time = -1;  // microseconds; -1: it is the start
  size_t peak_event = 0;   // so many events lead to it
  int64_t reserved_at_start = 0, reserved_peak = 0, reserved_at_end = 0, reserved_at_peak = 0;
  int64_t allocated_at_end = 0, unused_at_end = 0;  // rounded
  int64_t largest_free = 0;                         // of one block at the end
  bool expandable = false;                          // a segment grows into what the device has free
  bool possible = true;  // false: events contradict the segments, and totals are not to be shown

  std::vector<Amount> at_peak;  // by stack; stack 0: not recorded
  Amount before;                // of stack 0: allocated before the recording
  // By stack: bytes that live at the end of each window, of those allocated in the recording.
  std::vector<std::array<int64_t, kWindows>> windows;  // empty: too few events
  std::vector<Oom> ooms;
  int64_t contradictions = 0;  // allocations where one lives already
  bool attributed = true;      // false: too much lives at once, `at_peak` is of a part
};

// Of all devices that have segments or events, by number.
std::vector<Replay> ReplayAll(const MemorySnapshot& snapshot);

}  // namespace stepscope::memory
