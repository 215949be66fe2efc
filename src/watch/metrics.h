// Tells Prometheus what a watch saw.
#pragma once

#include <cstdint>
#include <string>

#include "stepscope/watch.h"

namespace stepscope {

// Since the history began.
struct WatchCounts {
  int64_t compared = 0, failed = 0;  // windows
  int64_t departed = 0;              // windows that told of departures
  int64_t time = 0;                  // when the last window began
  int64_t step_time = 0;             // in the last one that was compared

  void Count(const WatchedWindow& window);
};

// In the text format that node exporters read.
std::string MetricsOf(const WatchCounts& counts, const std::string& job);

}  // namespace stepscope
