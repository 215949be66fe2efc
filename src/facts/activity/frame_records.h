// Collects the Python frames of each host thread, event by event.
//
// There may be more frames than all other events together, so each is written once, into the list
// that stays, as long as the trace has the frames of a thread in order: by start, the longer first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/innermost.h"
#include "facts/activity/host_ops.h"
#include "trace/trace.h"

namespace stepscope {

class FrameRecords {
 public:
  explicit FrameRecords(const Trace& trace) : trace_(trace), tracks_(trace.tracks.size()) {}

  // Takes the event if it is a frame. REQUIRES: every event of the trace, ascending.
  void Take(EventId event) {
    const Kind kind = trace_.kinds()[event];
    if (kPythonFrames.Has(kind)) TakeFrame(event);
    any_ = any_ || kind == Kind::kPython;
  }

  // Hands the frames over, to be called once. `threads`: the number of each track's thread in
  // `host`, or kNoThread. Threads with nothing but frames are added behind the others.
  static constexpr uint32_t kNoThread = UINT32_MAX;
  void Finish(std::span<const uint32_t> threads, HostOps& host);

 private:
  struct OfTrack {
    HostFrames frames;
    Innermost parents;
    HostFrame last;
    bool in_order = true;
  };

  void TakeFrame(EventId event);
  uint32_t ThreadOf(size_t track, std::span<const uint32_t> threads) const;
  static HostFrames InOrder(const HostFrames& frames);

  const Trace& trace_;
  std::vector<OfTrack> tracks_;
  bool any_ = false;  // without, waits may have been kept alone, which are no stacks
};

}  // namespace stepscope
