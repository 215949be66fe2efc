// One pass finds the totals and the peak; a second one attributes the peak to stacks.
#include "memory_snapshot/replay.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>

#include "base/stop.h"

namespace stepscope::memory {
namespace {

constexpr size_t kMostOoms = 1000;
constexpr int64_t kFewEvents = 100 * kWindows;

int64_t RequestedBy(const SnapshotEvent& event) {
  if (event.action == SnapshotAction::kAlloc) return event.size;
  return event.action == SnapshotAction::kFreeCompleted ? -event.size : 0;
}

int64_t ReservedBy(const SnapshotEvent& event) {
  switch (event.action) {
    case SnapshotAction::kSegmentAlloc:
    case SnapshotAction::kSegmentMap:
      return event.size;
    case SnapshotAction::kSegmentFree:
    case SnapshotAction::kSegmentUnmap:
      return -event.size;
    default:
      return 0;
  }
}

// Sums beyond int64 need more events of the largest size than a file can hold in a sane recording;
// hostile ones wrap, and are found impossible.
int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

template <class Each>
void ForEvents(const MemorySnapshot& snapshot, const SnapshotTrace& trace, const Each& each) {
  for (size_t i = 0; i < trace.count; ++i) {
    if (i % (1 << 16) == 0) StopIfAsked();
    each(i, snapshot.events[trace.first + i]);
  }
}

void AddSegments(const MemorySnapshot& snapshot, std::map<int64_t, Replay>& replays) {
  for (const SnapshotSegment& segment : snapshot.segments) {
    Replay& replay = replays[segment.device];
    replay.reserved_at_end += segment.total;
    replay.allocated_at_end += segment.allocated;
    replay.expandable = replay.expandable || segment.expandable;
    for (uint32_t i = 0; i < segment.blocks; ++i) {
      const SnapshotBlock& block = snapshot.blocks[segment.first_block + i];
      if (block.live()) {
        replay.at_end += block.requested;
      } else {
        replay.unused_at_end += block.size;
        replay.largest_free = std::max(replay.largest_free, block.size);
      }
    }
  }
}

void FindTotals(const MemorySnapshot& snapshot, const SnapshotTrace& trace, Replay& replay) {
  int64_t requested = 0, reserved = 0;
  ForEvents(snapshot, trace, [&](size_t, const SnapshotEvent& event) {
    requested = Sum(requested, RequestedBy(event));
    reserved = Sum(reserved, ReservedBy(event));
  });
  replay.at_start = requested = Sum(replay.at_end, -requested);
  replay.reserved_at_start = reserved = Sum(replay.reserved_at_end, -reserved);
  replay.peak = requested;
  replay.reserved_peak = replay.reserved_at_peak = reserved;
  replay.possible = requested >= 0 && requested <= reserved;
  ForEvents(snapshot, trace, [&](size_t i, const SnapshotEvent& event) {
    requested = Sum(requested, RequestedBy(event));
    reserved = Sum(reserved, ReservedBy(event));
    replay.possible &= requested >= 0 && requested <= reserved;
    replay.reserved_peak = std::max(replay.reserved_peak, reserved);
    if (event.action == SnapshotAction::kOom && replay.ooms.size() < kMostOoms)
      replay.ooms.push_back({event.time, event.size, static_cast<int64_t>(event.address), requested,
                             reserved, event.stack, true});
    if (RequestedBy(event) != 0 && !replay.ooms.empty()) replay.ooms.back().last = false;
    if (replay.ooms.size() > 1) replay.ooms[replay.ooms.size() - 2].last = false;
    if (requested <= replay.peak) return;
    replay.peak = requested;
    replay.reserved_at_peak = reserved;
    replay.peak_time = event.time;
    replay.peak_event = i + 1;
  });
}

class Attribution {
 public:
  Attribution(const MemorySnapshot& snapshot, const SnapshotTrace& trace, Replay& replay)
      : snapshot_(snapshot), trace_(trace), replay_(replay), live_bytes_(snapshot.stacks.size()) {}

  void Run(size_t peak_at) {
    const bool windows = trace_.count >= kFewEvents;
    if (windows) replay_.windows.resize(live_bytes_.size());
    size_t window = 0;
    if (peak_at == 0) Snap();
    ForEvents(snapshot_, trace_, [&](size_t i, const SnapshotEvent& event) {
      Take(event, i < peak_at);
      if (i + 1 == peak_at) Snap();
      if (windows && (i + 1) * kWindows / trace_.count > window) EndWindow(window++);
    });
    AddUntouched();
  }

 private:
  struct Live {
    int64_t size = 0;
    StackId stack = 0;
  };

  void Take(const SnapshotEvent& event, bool before_peak) {
    if (event.action == SnapshotAction::kAlloc) {
      if (live_.size() >= kMostLive) {
        replay_.attributed = false;
        return;
      }
      const auto [at, added] = live_.try_emplace(event.address, Live{event.size, event.stack});
      if (!added) {
        ++replay_.contradictions;
        Move(at->second, -1);
        at->second = {event.size, event.stack};
      }
      Move(at->second, 1);
    } else if (event.action == SnapshotAction::kFreeCompleted) {
      const auto at = live_.find(event.address);
      if (at != live_.end()) {
        Move(at->second, -1);
        live_.erase(at);
      } else if (!before_peak) {
        replay_.before += {event.size, 1};
      }
    }
  }

  void Move(const Live& live, int64_t by) { live_bytes_[live.stack] += Amount{by * live.size, by}; }

  void Snap() { replay_.at_peak = live_bytes_; }

  void EndWindow(size_t window) {
    for (size_t stack = 0; stack < live_bytes_.size(); ++stack)
      replay_.windows[stack][window] = live_bytes_[stack].bytes;
  }

  // What lives at the end and was not allocated in the recording lived at the peak, too; its block
  // has the stack.
  void AddUntouched() {
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device != replay_.device) continue;
      for (uint32_t i = 0; i < segment.blocks; ++i) {
        const SnapshotBlock& block = snapshot_.blocks[segment.first_block + i];
        if (!block.live() || live_.contains(block.address)) continue;
        replay_.at_peak[block.stack] += {block.requested, 1};
      }
    }
    replay_.at_peak[0] += replay_.before;
  }

  const MemorySnapshot& snapshot_;
  const SnapshotTrace& trace_;
  Replay& replay_;
  std::vector<Amount> live_bytes_;  // by stack
  boost::unordered_flat_map<uint64_t, Live> live_;
};

}  // namespace

std::vector<Replay> ReplayAll(const MemorySnapshot& snapshot) {
  std::map<int64_t, Replay> replays;
  AddSegments(snapshot, replays);
  for (size_t device = 0; device < snapshot.traces.size(); ++device)
    if (snapshot.traces[device].count > 0) replays[static_cast<int64_t>(device)];
  std::vector<Replay> all;
  for (auto& [device, replay] : replays) {
    const auto place = static_cast<size_t>(device);
    const SnapshotTrace trace =
        place < snapshot.traces.size() ? snapshot.traces[place] : SnapshotTrace();
    replay.device = device;
    replay.events = trace.count;
    FindTotals(snapshot, trace, replay);
    Attribution(snapshot, trace, replay).Run(replay.peak_event);
    all.push_back(std::move(replay));
  }
  return all;
}

}  // namespace stepscope::memory
