// Gives each moment of given windows to the first in order of what goes on at it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// Something that goes on from `start` to `end` (ns); of several at once the largest `owner` has the
// time.
struct OwnedInterval {
  int64_t start = 0;
  int64_t end = 0;
  uint8_t owner = 0;
};

// For each window the time of each owner; owner 0 has what nobody else has, so that they add up to
// the window. REQUIRES: windows follow one another without overlap; `Window` has `start` and `end`.
// Intervals are sorted, and may overlap in any way.
template <size_t kOwners, class Window>
std::vector<std::array<int64_t, kOwners>> SweepWindows(std::vector<OwnedInterval>& intervals,
                                                       std::span<const Window> windows) {
  std::ranges::sort(intervals, {}, &OwnedInterval::start);
  std::vector<std::array<int64_t, kOwners>> times;
  times.reserve(windows.size());
  std::array<int64_t, kOwners> until;
  until.fill(INT64_MIN);
  size_t next = 0;
  for (const Window& window : windows) {
    std::array<int64_t, kOwners>& time = times.emplace_back();
    int64_t now = window.start;
    while (now < window.end) {
      for (; next < intervals.size() && intervals[next].start <= now; ++next) {
        int64_t& end = until[intervals[next].owner];
        end = std::max(end, intervals[next].end);
      }
      size_t owner = kOwners - 1;
      while (owner > 0 && until[owner] <= now) --owner;
      int64_t change = window.end;
      if (owner > 0) change = std::min(change, until[owner]);
      if (next < intervals.size()) change = std::min(change, intervals[next].start);
      time[owner] += change - now;
      now = change;
    }
  }
  return times;
}

}  // namespace stepscope
