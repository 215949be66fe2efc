// Converts curves and paths to tracks.
#include "export/overlay.h"

#include <fmt/format.h>

#include "facts/devices/copy_rates.h"
#include "facts/devices/queues.h"
#include "facts/paths/critical_path.h"
#include "facts/paths/path_window.h"

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

}  // namespace

std::vector<CounterTrack> CountersOf(const RankActivity& rank) {
  std::vector<CounterTrack> counters;
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
  return counters;
}

void AddCriticalPath(const RankActivity& rank, const StringTable& names, Overlay& overlay) {
  const auto chosen = ChooseWindow(rank, names, {});
  if (!chosen) return;
  overlay.path_covers = chosen->covers;
  const CriticalPath path = FindCriticalPath(BuildDependencies(rank, names, chosen->window));
  overlay.path.reserve(path.segments.size());
  for (const Segment& segment : path.segments) {
    overlay.path.push_back({.start = segment.start,
                            .end = segment.end,
                            .name = NameOf(segment.edge, names),
                            .bound = BoundName(segment.edge.bound),
                            .where = WhereOf(rank, segment.edge)});
  }
}

}  // namespace stepscope
