// Follows a trace's allocators: memory in use over time, and allocations paired with their
// releases.
//
// Allocators are never added up: the one of a device and the one of the host have nothing in
// common, and two of one device may manage the same memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

inline constexpr uint32_t kNeverFreed = UINT32_MAX;

// A block of memory, from its allocation to its release, as indices into HostOps::memory.
struct MemoryBlock {
  uint32_t taken = 0;
  uint32_t freed = kNeverFreed;

  // Whether it was there right after that event.
  bool AliveAt(uint32_t event) const { return taken <= event && event < freed; }
};

// An event, and what was in use after it.
struct MemoryMoment {
  uint32_t event = 0;  // index into HostOps::memory
  int64_t level = 0;   // bytes
  bool counts = true;  // it lies in a selected step
};

struct AllocatorMemory {
  int64_t device = -1;                // -1: the host's own memory
  StringId allocator = kNoString;     // kNoString: the framework has one for each device
  std::vector<MemoryMoment> moments;  // by time
  // The allocator says what it has in use. Otherwise levels are sums of events, from 0: what was
  // there before the recording is not in them.
  bool has_totals = false;
  // In `moments`: the highest level that counts, of equals the last. By then more of what it
  // consists of was recorded.
  size_t peak = 0;
  // By time of their allocation; none where the trace has no addresses. A block whose address is
  // given out again without a release in the trace ends there.
  std::vector<MemoryBlock> blocks;

  const MemoryMoment& AtPeak() const { return moments[peak]; }
};

// All allocators of a recording that have an event that counts, by device, then allocator. Linear
// but for sorting.
std::vector<AllocatorMemory> FollowAllocators(const Facts& facts, const RankActivity& rank);

// What an allocator had in use during one step.
struct MemoryStep {
  int32_t step = kNoStep;  // index into RankActivity::steps
  int64_t begin = 0;       // bytes in use before its first event
  int64_t end = 0;         // and after its last
  int64_t lowest = 0;      // `begin` included
  int64_t highest = 0;
  int64_t taken = 0;     // bytes allocated
  int64_t released = 0;  // bytes given back
  int64_t kept = 0;      // of `taken`, bytes never given back to the end of the recording

  // Its events in the order of time.
  void Add(int64_t bytes, int64_t level);
};

// Of the steps with events, in their order.
std::vector<MemoryStep> FollowSteps(const RankActivity& rank, const AllocatorMemory& memory);

// Which operators memory was for.
class MemoryOwners {
 public:
  MemoryOwners(const StringTable& names, const HostOps& host);

  // The innermost operator around an event, or kNoRange.
  int32_t Innermost(const MemoryEvent& event) const { return Of(innermost_, event); }
  // The innermost that does more than to allocate: of aten::empty the operator that called it,
  // if there is one.
  int32_t Asking(const MemoryEvent& event) const { return Of(asking_, event); }

 private:
  static int32_t Of(const RangeLinks& owners, const MemoryEvent& event) {
    return event.range == kNoRange ? kNoRange : owners[static_cast<size_t>(event.range)];
  }

  RangeLinks innermost_, asking_;  // by range
};

}  // namespace stepscope
