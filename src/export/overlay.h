// Adds to an exported trace: counters over time, the critical path, marks of events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "export/marks.h"
#include "facts/activity/rank_activity.h"
#include "facts/devices/step_curve.h"
#include "facts/paths/path_window.h"

namespace stepscope {

// A quantity of one device over time.
struct CounterTrack {
  int64_t device = 0;
  std::string name;  // "queue of stream 7, not finished", "bandwidth of HtoD"
  std::string unit;  // "operations", "GB/s"
  double scale = 1;  // of a level, in `unit`
  std::vector<StepCurve::Point> points;
};

// A piece of the critical path. Pieces follow one another without a gap.
struct PathPiece {
  int64_t start = 0;  // ns
  int64_t end = 0;
  std::string_view name;   // of the activities, operator or call
  std::string_view bound;  // what it counts as: "gpu_compute", "launch_overhead", ...
  std::string where;       // "device 0 stream 7", a thread's name, or empty
};

struct Overlay {
  explicit Overlay(const StringTable& names) : marks(names) {}

  std::vector<CounterTrack> counters;
  std::string path_covers;  // "step 7"
  std::vector<PathPiece> path;
  EventMarks marks;
};

// Queue length of every stream, as in the analysis queue_length.
void AddQueues(const RankActivity& rank, std::vector<CounterTrack>& counters);
// Bandwidth of every kind of copy, as in the analysis memory_bandwidth.
void AddBandwidths(const RankActivity& rank, std::vector<CounterTrack>& counters);

// Adds the critical path of what is chosen, as in the analysis critical_path, and marks the events
// on it: activities, calls, and operators around them. Without what is chosen there is none.
// `names` must outlive the overlay.
void AddCriticalPath(const RankActivity& rank, const StringTable& names, const WindowChoice& choice,
                     Overlay& overlay);

}  // namespace stepscope
