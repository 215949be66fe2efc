// Compares the parts of the last window with those of the windows before.
#include "watch/departure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "base/change_point.h"

namespace stepscope {
namespace {

constexpr size_t kFewestWindows = 6;
constexpr double kLeast = 0.05;  // of step time, that a part must change by

using Part = std::pair<int64_t, std::string>;

// How far a part is from a cause: what is left of a step may follow from what somebody does, who
// waits does so for somebody, and how long a step is follows from all.
int FollowsFromOthers(const WatchedDeparture& d) {
  return d.part == "step_time" ? 3 : d.part == "wait" ? 2 : d.part == "all_others" ? 1 : 0;
}

struct Series {
  std::vector<int64_t> values;
  std::vector<size_t> windows;  // of each value
};

std::map<Part, Series> SeriesOf(std::span<const WatchedWindow> windows) {
  std::map<Part, Series> all;
  for (size_t w = 0; w < windows.size(); ++w) {
    for (const WatchedPart& part : windows[w].parts) {
      Series& series = all[{part.rank, part.part}];
      series.values.push_back(part.time);
      series.windows.push_back(w);
    }
  }
  return all;
}

// Whether a window since the change told of it.
bool WasTold(std::span<const WatchedWindow> windows, size_t since, const Part& part) {
  return std::ranges::any_of(windows.subspan(since), [&](const WatchedWindow& w) {
    return std::ranges::any_of(
        w.departed, [&](const WatchedDeparture& d) { return Part(d.rank, d.part) == part; });
  });
}

}  // namespace

bool ComesFirst(const WatchedDeparture& a, const WatchedDeparture& b) {
  return std::pair(FollowsFromOthers(a), -std::abs(a.now - a.before)) <
         std::pair(FollowsFromOthers(b), -std::abs(b.now - b.before));
}

std::vector<WatchedDeparture> DeparturesOf(std::span<const WatchedWindow> windows) {
  std::vector<WatchedDeparture> departures;
  if (windows.size() > kComparedWindows) windows = windows.last(kComparedWindows);
  if (windows.size() < kFewestWindows) return departures;
  const double least = kLeast * static_cast<double>(windows.back().step_time);
  for (const auto& [part, series] : SeriesOf(windows)) {
    if (series.values.size() < kFewestWindows || series.windows.back() + 1 != windows.size())
      continue;
    const auto change = FindChangePoint(series.values, least);
    if (!change || WasTold(windows, series.windows[change->at], part)) continue;
    departures.push_back({.rank = part.first,
                          .part = part.second,
                          .before = std::llround(change->before),
                          .now = std::llround(change->since),
                          .windows = static_cast<int64_t>(series.values.size() - change->at)});
  }
  std::ranges::stable_sort(departures, ComesFirst);
  return departures;
}

}  // namespace stepscope
