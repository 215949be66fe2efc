// Holds the host side of a trace: what each thread ran when it launched activities.
//
// Operators and annotations of a thread nest, so they form a tree; a runtime call and a
// memory event hang below the innermost range around them on their own thread. Python's frames form
// trees of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "facts/activity/host_lists.h"
#include "trace/trace.h"

namespace stepscope {

// What a range says about itself. Texts that the trace does not give are kNoString, numbers -1.
struct RangeDetail {
  StringId shapes = kNoString;   // of an operator's inputs, "[[8, 16], [16, 4], []]"
  StringId types = kNoString;    // of them, "["float", "float", "Scalar"]"
  StringId strides = kNoString;  // of them, "[[16, 1], [1, 16], []]"; not in old traces
  // Of its inputs that are no tensors, "["", "", "[1, 1]", "False"]"; PyTorch 2.1 on.
  StringId values = kNoString;
  int64_t step = -1;      // the range is the step of this number
  int64_t iterator = -1;  // of a stage of an input pipeline: its id
  int64_t iterator_parent = -1;
  bool eager = false;     // the operator ran by itself, in no compiled function
  bool compiled = false;  // it is an operation of a compiled program, run by the host
  // Of such an operation: the number of the process' device that it ran on, what it does as its
  // program says ("all-reduce"; kNoString: no program was recorded), and of a collective which, of
  // what elements, and between which devices, "[0, 1]".
  int64_t device = -1;
  StringId opcode = kNoString;
  StringId collective = kNoString, element_type = kNoString, members = kNoString;
  int64_t in_elements = -1, out_elements = -1, group_size = -1;

  bool operator==(const RangeDetail&) const = default;
};

// What an allocator that keeps its own books says with a memory event. Texts that the trace does
// not give are kNoString, numbers -1.
struct MemoryDetail {
  StringId allocator = kNoString;     // "GPU_0_bfc"
  StringId framework_op = kNoString;  // the operator that asked
  StringId region = kNoString;        // what for: "temp", "output", "persist/dynamic"
  StringId type = kNoString;          // of an element
  StringId shape = kNoString;
  int64_t requested = -1;      // bytes, before rounding up
  int64_t stack = -1;          // bytes set aside for temporaries; part of `allocated`
  int64_t available = -1;      // bytes the allocator could still give
  int64_t lifetime_peak = -1;  // the most it ever had in use
  double fragmentation = -1;   // 0..1
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
  int32_t detail = -1;       // index into HostOps::memory_details; -1: it says nothing
};

// A device's memory by its use, from an export that accompanies the trace. It tells neither blocks
// nor the device.
struct MemoryTimeline {
  std::vector<MemoryChange> changes;  // what was there before first, then by time
};

// What the host does once and not in every step: a thread records a graph (its launches become
// nodes and do not run), creates the device's context, loads a kernel's code at its first launch,
// or sets up and tunes convolutions.
struct OneTimeWork {
  int64_t start = 0;  // ns
  int64_t end = 0;
  uint32_t thread = 0;
};

// A call in which a thread waits for communication that it began.
struct HostWait {
  int64_t start = 0;  // ns
  int64_t end = 0;
  uint32_t thread = 0;
};

// Work that one thread hands to another, as the recording says: a task is put into a pool and
// begins, or a compiled program is called and its first operation begins. On one thread: a wait
// begins and ends.
struct HandOver {
  int64_t given = 0;  // ns
  int64_t taken = 0;
  uint32_t from = 0;  // index into HostOps::threads
  uint32_t to = 0;
};

// An operation of a compiled program that runs on after its range, in tasks of a pool that are not
// recorded.
struct LateEnd {
  uint32_t thread = 0;  // of the range
  int64_t start = 0;    // ns
  int64_t end = 0;
};

struct HostOps {
  std::vector<std::string> threads;   // as the trace names them, or their ids
  HostRanges ranges;                  // by thread, then start, then the longer first
  HostCalls calls;                    // by start
  std::vector<HostFrames> frames;     // of each thread, by start, then the longer first
  AutogradOps autograd;               // by range; kept where there are frames
  std::vector<MemoryEvent> memory;    // by time
  std::vector<OneTimeWork> one_time;  // by start; of several threads, so they may overlap
  std::vector<HostWait> waits;        // known where stacks were recorded
  std::vector<HandOver> hand_overs;   // by `taken`; of compiled programs
  std::vector<LateEnd> late_ends;     // by thread, then start
  std::vector<MemoryTimeline> memory_timelines;
  std::vector<RangeDetail> range_details;
  std::vector<MemoryDetail> memory_details;

  // What `range` says about itself, or null.
  const RangeDetail* DetailOf(const HostRange& range) const {
    return range.detail < 0 ? nullptr : &range_details[static_cast<size_t>(range.detail)];
  }
  // When the operation ends that `range` begins.
  int64_t EndOf(const HostRange& range) const {
    const auto place = [](const LateEnd& l) { return std::pair(l.thread, l.start); };
    const std::pair here(range.thread, range.start);
    const auto at = std::ranges::lower_bound(late_ends, here, {}, place);
    return at != late_ends.end() && place(*at) == here ? at->end : range.end;
  }
  // What the allocator says with `event`, or null.
  const MemoryDetail* DetailOf(const MemoryEvent& event) const {
    return event.detail < 0 ? nullptr : &memory_details[static_cast<size_t>(event.detail)];
  }
  // Where in `ranges` those of each thread begin, and behind the last thread's the end.
  std::vector<size_t> RangesByThread() const;
  // Whether any thread has Python frames.
  bool HasFrames() const {
    return std::ranges::any_of(frames, [](const HostFrames& f) { return !f.empty(); });
  }
  // The range around `range`, on up to the outermost, that `wanted` holds for; kNoRange if none.
  template <class Wanted>
  int32_t FindAround(int32_t range, const Wanted& wanted) const {
    while (range != kNoRange && !wanted(ranges[static_cast<size_t>(range)])) {
      range = ranges[static_cast<size_t>(range)].parent;
    }
    return range;
  }
};

// Of each range: the outermost one that `wanted` holds for, of those around it and itself; kNoRange
// if none.
template <class Wanted>
RangeLinks FindOutermost(const HostOps& host, const Wanted& wanted) {
  RangeLinks outermost;
  StopChecks checks;
  for (size_t r = 0; r < host.ranges.size(); ++r) {  // parents come before their children
    checks.Turn();
    const HostRange range = host.ranges[r];
    const int32_t above =
        range.parent == kNoRange ? kNoRange : outermost[static_cast<size_t>(range.parent)];
    outermost.Append(above == kNoRange && wanted(range) ? static_cast<int32_t>(r) : above);
  }
  return outermost;
}

}  // namespace stepscope
