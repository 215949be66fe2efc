// Adds tracks to an exported trace: counters over time, and the critical path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "facts/devices/step_curve.h"

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
  std::vector<CounterTrack> counters;
  std::string path_covers;  // "step 7"
  std::vector<PathPiece> path;
};

// Queue length of every stream and bandwidth of every kind of copy, as in the analyses
// queue_length and memory_bandwidth.
std::vector<CounterTrack> CountersOf(const RankActivity& rank);

// Adds the critical path of the recording's complete step of median length, or of all of it where
// there are no steps, as in the analysis critical_path. `names` must outlive the overlay.
void AddCriticalPath(const RankActivity& rank, const StringTable& names, Overlay& overlay);

}  // namespace stepscope
