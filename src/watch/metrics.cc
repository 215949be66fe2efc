// Writes the metrics of a watch.
#include "watch/metrics.h"

#include <fmt/format.h>

#include <string_view>

#include "base/time_units.h"

namespace stepscope {
namespace {

// A value of a label, in quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace

void WatchCounts::Count(const WatchedWindow& window) {
  time = window.time;
  if (!window.why.empty()) {
    ++failed;
    return;
  }
  ++compared;
  step_time = window.step_time;
  if (!window.departed.empty()) ++departed;
}

std::string MetricsOf(const WatchCounts& counts, const std::string& job) {
  const std::string label = "training_job=" + Quoted(job);
  return fmt::format(
      R"(# HELP stepscope_watch_windows_total Windows that were captured, by whether they could be compared.
# TYPE stepscope_watch_windows_total counter
stepscope_watch_windows_total{{{0},result="compared"}} {1}
stepscope_watch_windows_total{{{0},result="failed"}} {2}
# HELP stepscope_watch_departures_total Windows in which a part of a rank's step had a new level.
# TYPE stepscope_watch_departures_total counter
stepscope_watch_departures_total{{{0}}} {3}
# HELP stepscope_watch_step_seconds Mean step time in the last window.
# TYPE stepscope_watch_step_seconds gauge
stepscope_watch_step_seconds{{{0}}} {4}
# HELP stepscope_watch_last_window_timestamp_seconds When the last window began.
# TYPE stepscope_watch_last_window_timestamp_seconds gauge
stepscope_watch_last_window_timestamp_seconds{{{0}}} {5:.3f}
)",
      label, counts.compared, counts.failed, counts.departed, Seconds(counts.step_time),
      Seconds(counts.time));
}

}  // namespace stepscope
