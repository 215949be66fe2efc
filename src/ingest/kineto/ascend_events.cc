// Looks at the events three times: for what they are, for launches, for what was launched.
#include "ingest/kineto/ascend_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/innermost.h"
#include "base/stop.h"
#include "ingest/common/ascend_task.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

enum class Place : uint8_t { kOther, kHardware, kGroup, kPlane, kHost };

bool IsLaunch(std::string_view flow) { return flow.starts_with("HostToDevice"); }

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return text.empty() || error != std::errc() || end != text.data() + text.size()
             ? std::nullopt
             : std::optional(number);
}

class Settler {
 public:
  Settler(Trace& trace, const AscendNames& names, KindSet keep)
      : trace_(trace), names_(names), keep_(keep) {}

  void Settle() {
    PlaceTracks();
    SetKinds();
    FindLaunches();
    TieToLaunches();
  }

 private:
  struct Range {
    int64_t start = 0, end = 0;
    EventId event = 0;
  };
  struct Moment {
    int64_t time = 0, flow = 0;
  };
  // Of a thread of the host, whatever its process: CANN's has the numbers of Python's.
  struct Thread {
    std::vector<Range> calls, dequeues;
    std::vector<Moment> launches;
  };

  Place PlaceOf(const Track& track) const {
    const std::string process = names_.process(track.process);
    if (process == kAscendHardware) return Place::kHardware;
    if (process == "CANN") return Place::kHost;
    if (process != "HCCL" && process != "Communication") return Place::kOther;
    return names_.thread(track.process, track.thread).starts_with("Plane") ? Place::kPlane
                                                                           : Place::kGroup;
  }

  // Several devices are numbered in the order in which they appear.
  void PlaceTracks() {
    std::map<std::string, int64_t> devices;
    for (Track& track : trace_.tracks) {
      places_.push_back(track.is_stream ? Place::kOther : PlaceOf(track));
      const Place place = places_.back();
      groups_told_ = groups_told_ || place == Place::kGroup;
      if (place == Place::kHardware) devices.try_emplace(track.process, std::ssize(devices));
    }
    int64_t unnumbered = kFirstAscendGroup;
    for (size_t t = 0; t < places_.size(); ++t) {
      Track& track = trace_.tracks[t];
      if (places_[t] != Place::kHardware && places_[t] != Place::kGroup) continue;
      const auto number = NumberIn(track.thread);
      const auto device = devices.find(track.process);
      track.name = names_.thread(track.process, track.thread);
      track.is_stream = true;
      trace_.meta.device_name = "Ascend NPU";  // whose type the file does not tell
      track.device = device == devices.end() ? 0 : device->second;
      track.stream = places_[t] == Place::kGroup || !number ? unnumbered++ : *number;
    }
  }

  Kind KindAt(Place place, StringId name) {
    switch (place) {
      case Place::kHardware:
        if (const auto known = tasks_.find(name); known != tasks_.end()) return known->second;
        return tasks_[name] = KindOfAscendTask(trace_.strings[name], groups_told_);
      case Place::kGroup:
        return Kind::kCommunication;
      case Place::kHost:
        return Kind::kRuntime;
      case Place::kPlane:
      case Place::kOther:
        break;
    }
    return Kind::kUnknown;
  }

  void SetKinds() {
    StopChecks checks;
    for (EventId e = 0; e < trace_.size(); ++e) {
      checks.Turn();
      if (trace_.kinds()[e] != Kind::kUnknown) continue;
      const Kind kind = KindAt(places_[trace_.tracks_of()[e]], trace_.names()[e]);
      if (IsDeviceActivity(kind)) ++trace_.gpu_events_in_file;
      if (kind != Kind::kUnknown && keep_.Has(kind)) trace_.SetKind(e, kind);
    }
  }

  // Calls into CANN, the task queue of PyTorch's adapter, and where flows leave.
  void FindLaunches() {
    SparseWalk flows(trace_.Ints(IntField::kFlowId));
    StopChecks checks;
    for (EventId e = 0; e < trace_.size(); ++e) {
      checks.Turn();
      const auto flow = flows.At(e);
      const Kind kind = trace_.kinds()[e];
      const int64_t start = trace_.starts()[e];
      const TrackId t = trace_.tracks_of()[e];
      const std::string_view name = trace_.strings[trace_.names()[e]];
      const Range range{start, start + trace_.durations()[e], e};
      if (kind == Kind::kFlow && flow && IsLaunch(name)) {
        if (places_[t] == Place::kHardware) continue;
        threads_[trace_.tracks[t].thread].launches.push_back({start, *flow});
      } else if (kind == Kind::kRuntime && places_[t] == Place::kHost) {
        threads_[trace_.tracks[t].thread].calls.push_back(range);
      } else if (kind == Kind::kRuntime && flow && name.starts_with("Dequeue")) {
        threads_[trace_.tracks[t].thread].dequeues.push_back(range);
        queued_[e] = *flow;
      } else if (kind == Kind::kRuntime && flow && name.starts_with("Enqueue")) {
        enqueued_[*flow] = e;
      }
    }
    for (auto& [name, thread] : threads_) LaunchesOf(thread);
  }

  // What took an operator off the queue launched for what put it there; else the call did itself.
  void LaunchesOf(Thread& thread) {
    const auto by_start = [](const Range& a, const Range& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    };
    std::ranges::sort(thread.calls, by_start);
    std::ranges::sort(thread.dequeues, by_start);
    std::ranges::sort(thread.launches, {}, &Moment::time);
    Innermost call, dequeue;
    for (const Moment& launch : thread.launches) {
      const int32_t c =
          call.At(launch.time, thread.calls.size(), [&](size_t i) { return thread.calls[i]; });
      const int32_t d = dequeue.At(launch.time, thread.dequeues.size(),
                                   [&](size_t i) { return thread.dequeues[i]; });
      std::optional<EventId> event;
      if (c >= 0) event = thread.calls[static_cast<size_t>(c)].event;
      if (d >= 0) {
        const auto queued = enqueued_.find(queued_[thread.dequeues[static_cast<size_t>(d)].event]);
        if (queued != enqueued_.end()) event = queued->second;
      }
      if (event) launched_by_[launch.flow] = *event;
    }
  }

  // A flow arrives when what it leads to begins.
  void TieToLaunches() {
    if (launched_by_.empty() || trace_.Ints(IntField::kCorrelation).size() > 0) return;
    std::map<std::pair<TrackId, int64_t>, EventId> arrivals;  // by place: the launch
    SparseWalk flows(trace_.Ints(IntField::kFlowId));
    for (EventId e = 0; e < trace_.size(); ++e) {
      const auto flow = flows.At(e);
      const TrackId t = trace_.tracks_of()[e];
      if (trace_.kinds()[e] != Kind::kFlow || !flow || places_[t] != Place::kHardware) continue;
      if (!IsLaunch(trace_.strings[trace_.names()[e]])) continue;
      if (const auto launch = launched_by_.find(*flow); launch != launched_by_.end())
        arrivals[{t, trace_.starts()[e]}] = launch->second;
    }
    std::map<EventId, int64_t> correlations;  // ascending, as columns are
    for (EventId e = 0; e < trace_.size(); ++e) {
      if (!IsDeviceActivity(trace_.kinds()[e])) continue;
      const auto launch = arrivals.find({trace_.tracks_of()[e], trace_.starts()[e]});
      if (launch == arrivals.end()) continue;
      correlations[e] = correlations[launch->second] = int64_t{launch->second} + 1;
    }
    for (const auto& [event, correlation] : correlations)
      trace_.Set(event, IntField::kCorrelation, correlation);
  }

  Trace& trace_;
  const AscendNames& names_;
  KindSet keep_;
  std::vector<Place> places_;  // by track
  bool groups_told_ = false;   // collectives have tracks of their own
  std::unordered_map<StringId, Kind> tasks_;
  std::map<std::string, Thread> threads_;
  std::unordered_map<EventId, int64_t> queued_;       // dequeues: their numbers
  std::unordered_map<int64_t, EventId> enqueued_;     // by number
  std::unordered_map<int64_t, EventId> launched_by_;  // by flow
};

}  // namespace

bool IsAscendSum(std::string_view name) {
  constexpr auto kSums = std::to_array<std::string_view>(
      {"Computing", "Communication", "Communication(Not Overlapped)", "Free"});
  return std::ranges::find(kSums, name) != kSums.end();
}

void SettleAscendEvents(Trace& trace, const AscendNames& names, KindSet keep) {
  Settler(trace, names, keep).Settle();
}

}  // namespace stepscope
