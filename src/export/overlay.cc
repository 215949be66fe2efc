// Converts curves and paths to tracks.
#include "export/overlay.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/devices/copy_rates.h"
#include "facts/devices/queues.h"
#include "facts/paths/critical_path.h"

namespace stepscope {
namespace {

void AddCounter(std::vector<CounterTrack>& counters, CounterTrack track, StepCurve curve) {
  track.points = curve.Levels();
  if (!track.points.empty()) counters.push_back(std::move(track));
}

std::string WhereOf(const RankActivity& rank, const Edge& edge) {
  if (edge.activity != kNowhere) {
    const Stream& stream = rank.streams[rank.activities[edge.activity].stream];
    return fmt::format("device {} stream {}", stream.device, stream.stream);
  }
  return edge.thread == kNowhere ? "" : rank.host->threads[edge.thread];
}

// Marks the events that pieces of a path are of.
class PathMarker {
 public:
  PathMarker(const RankActivity& rank, EventMarks& marks)
      : rank_(rank), marks_(marks), calls_(rank.host->threads.size()) {
    for (uint32_t c = 0; c < rank.host->calls.size(); ++c)
      calls_[rank.host->calls[c].thread].push_back(c);
  }

  void Mark(const Segment& segment) {
    const Edge& edge = segment.edge;
    if (edge.activity != kNowhere) {
      const Activity activity = rank_.activities[edge.activity];
      const bool runs = edge.reason == Reason::kRunning;
      if (runs) marks_.Of(activity.start, activity.end, activity.name).critical = true;
      return;
    }
    for (int32_t r = edge.range; r != kNoRange;) {
      const HostRange range = rank_.host->ranges[static_cast<size_t>(r)];
      marks_.Of(range.start, range.end, range.name).critical = true;
      r = range.parent;
    }
    if (edge.thread != kNowhere) MarkCall(segment);
  }

 private:
  // The innermost call of the segment's thread that holds it.
  void MarkCall(const Segment& segment) {
    constexpr ptrdiff_t kDeepest = 4;  // calls within calls
    const auto& calls = calls_[segment.edge.thread];
    auto at = std::ranges::upper_bound(calls, segment.start, {},
                                       [&](uint32_t c) { return rank_.host->calls[c].start; });
    for (auto left = std::min(at - calls.begin(), kDeepest); left > 0; --left) {
      const Call call = rank_.host->calls[*--at];
      if (call.end < segment.end) continue;
      marks_.Of(call.start, call.end, call.name).critical = true;
      return;
    }
  }

  const RankActivity& rank_;
  EventMarks& marks_;
  std::vector<std::vector<uint32_t>> calls_;  // of each thread, by start
};

}  // namespace

void AddQueues(const RankActivity& rank, std::vector<CounterTrack>& counters) {
  const auto queues = FollowQueues(rank);
  for (size_t s = 0; s < queues.size(); ++s) {
    const Stream& stream = rank.streams[s];
    for (const bool finished : {true, false}) {
      AddCounter(counters,
                 {.device = stream.device,
                  .name = fmt::format("queue of stream {}, not {}", stream.stream,
                                      finished ? "finished" : "started"),
                  .unit = "operations"},
                 finished ? Outstanding(rank, queues[s]) : Waiting(rank, queues[s]));
    }
  }
}

void AddBandwidths(const RankActivity& rank, std::vector<CounterTrack>& counters) {
  auto copies = FollowCopies(rank);
  for (size_t d = 0; d < copies.size(); ++d) {
    for (size_t p = 0; p < kCopyPaths; ++p) {
      const auto path = CopyPathName(static_cast<CopyPath>(p));
      AddCounter(counters,
                 {.device = rank.devices[d],
                  .name = fmt::format("bandwidth of {}", path),
                  .unit = "GB/s",
                  .scale = 1e-9},
                 copies[d][p].rate);
    }
  }
}

void AddCriticalPath(const RankActivity& rank, const StringTable& names, const WindowChoice& choice,
                     Overlay& overlay) {
  const auto chosen = ChooseWindow(rank, names, choice);
  if (!chosen) return;
  overlay.path_covers = chosen->covers;
  const CriticalPath path = FindCriticalPath(BuildDependencies(rank, names, chosen->window));
  overlay.path.reserve(path.segments.size());
  PathMarker marker(rank, overlay.marks);
  for (const Segment& segment : path.segments) {
    marker.Mark(segment);
    overlay.path.push_back({.start = segment.start,
                            .end = segment.end,
                            .name = NameOf(segment.edge, names),
                            .bound = BoundName(segment.edge.bound),
                            .where = WhereOf(rank, segment.edge)});
  }
}

}  // namespace stepscope
