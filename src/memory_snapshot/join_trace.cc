// Walks allocations and calls together, in order of time.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <utility>

#include "base/stop.h"
#include "memory_snapshot/host_trace.h"

namespace stepscope::memory {
namespace {

constexpr size_t kMostNested = 256;  // calls of a thread that are looked at

// The calls that are open on each thread.
class OpenCalls {
 public:
  explicit OpenCalls(const HostTrace& trace) : trace_(trace) {
    for (const HostCall& call : trace.calls)
      if (call.thread >= open_.size()) open_.resize(call.thread + 1);
  }

  void GoTo(int64_t time) {
    for (; next_ < trace_.calls.size() && trace_.calls[next_].start <= time; ++next_) {
      const uint32_t thread = trace_.calls[next_].thread;
      if (open_[thread].empty()) busy_.push_back(thread);
      Close(open_[thread], trace_.calls[next_].start);
      open_[thread].push_back(next_);
    }
    std::erase_if(busy_, [&](uint32_t thread) {
      Close(open_[thread], time);
      return open_[thread].empty();
    });
  }

  // The innermost operator or module of the thread that began such a call last; 0: none. `named`:
  // of this name where one is open; 0: of any.
  StringId Innermost(bool module, StringId named) const {
    size_t found = SIZE_MAX, same = SIZE_MAX;
    for (const uint32_t thread : busy_) {
      const auto& open = open_[thread];
      const size_t most = std::min(open.size(), kMostNested);
      for (size_t i = 0; i < most; ++i) {
        const size_t at = open[open.size() - 1 - i];
        const HostCall& call = trace_.calls[at];
        if (call.module != module) continue;
        if (found == SIZE_MAX || at > found) found = at;
        if (call.name == named && (same == SIZE_MAX || at > same)) same = at;
      }
    }
    const size_t best = named != 0 && same != SIZE_MAX ? same : found;
    return best == SIZE_MAX ? 0 : trace_.calls[best].name;
  }

 private:
  void Close(std::vector<size_t>& open, int64_t time) const {
    while (!open.empty() && trace_.calls[open.back()].end < time) open.pop_back();
  }

  const HostTrace& trace_;
  std::vector<std::vector<size_t>> open_;  // by thread, the outermost first
  std::vector<uint32_t> busy_;             // threads with open calls
  size_t next_ = 0;
};

class Joiner {
 public:
  Joiner(const Sites& sites, const HostTrace& trace, TraceJoin& join)
      : trace_(trace), join_(join), calls_(trace) {
    // The operators that stacks name, as the trace names them.
    for (StringId id = 0; id < sites.texts.size(); ++id) {
      const StringId known = trace.names.Find(sites.texts[id]);
      of_trace_.push_back(id == 0 || known == kNoString ? 0 : known);
    }
    for (const Place& place : sites.places) named_.push_back(of_trace_[place.op]);
  }

  void Take(const SnapshotEvent& event) {
    if (event.action == SnapshotAction::kFreeCompleted) live_.erase(event.address);
    if (event.action != SnapshotAction::kAlloc) return;
    // Snapshots have whole microseconds.
    const int64_t time = 1000 * event.time + 500;
    if (event.time > INT64_MAX / 2000 || time < trace_.begin || time > trace_.end) {
      join_.outside += {event.size, 1};
      live_.erase(event.address);
      return;
    }
    calls_.GoTo(time);
    const std::pair of{calls_.Innermost(false, named_[event.stack]), calls_.Innermost(true, 0)};
    join_.within += {event.size, 1};
    Add(operators_, of.first).allocated += {event.size, 1};
    Add(modules_, of.second).allocated += {event.size, 1};
    if (live_.size() < kMostLive) live_[event.address] = {event.size, of.first, of.second};
  }

  void Snap() {
    for (const auto& [address, live] : live_) {
      Add(operators_, live.op).at_peak += {live.size, 1};
      Add(modules_, live.module).at_peak += {live.size, 1};
    }
  }

  void Finish() {
    join_.operators = Sorted(operators_);
    join_.modules = Sorted(modules_);
  }

 private:
  struct Live {
    int64_t size = 0;
    StringId op = 0, module = 0;
  };
  using ByName = boost::unordered_flat_map<StringId, Joined>;

  static Joined& Add(ByName& all, StringId name) {
    Joined& one = all[name];
    one.name = name;
    return one;
  }

  std::vector<Joined> Sorted(const ByName& all) const {
    std::vector<Joined> sorted;
    for (const auto& [name, one] : all) sorted.push_back(one);
    std::ranges::sort(sorted, [&](const Joined& a, const Joined& b) {
      return std::tuple(-a.at_peak.bytes, -a.allocated.bytes, trace_.names[a.name]) <
             std::tuple(-b.at_peak.bytes, -b.allocated.bytes, trace_.names[b.name]);
    });
    return sorted;
  }

  const HostTrace& trace_;
  TraceJoin& join_;
  OpenCalls calls_;
  std::vector<StringId> of_trace_, named_;  // by text of the sites; by stack
  ByName operators_, modules_;
  boost::unordered_flat_map<uint64_t, Live> live_;
};

}  // namespace

TraceJoin JoinTrace(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay,
                    const HostTrace& trace) {
  TraceJoin join;
  const auto place = static_cast<size_t>(replay.device);
  if (place >= snapshot.traces.size()) return join;
  const SnapshotTrace& events = snapshot.traces[place];
  Joiner joiner(sites, trace, join);
  for (size_t i = 0; i < events.count; ++i) {
    if (i % (1 << 16) == 0) StopIfAsked();
    joiner.Take(snapshot.events[events.first + i]);
    if (i + 1 == replay.peak_event) joiner.Snap();
  }
  joiner.Finish();
  return join;
}

}  // namespace stepscope::memory
