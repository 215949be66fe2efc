// Gives each moment of given windows to the first in order of what goes on at it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/growing_array.h"
#include "base/stop.h"

namespace stepscope {

// Something that goes on from `start` to `end` (ns); of several at once the largest `owner` has the
// time.
struct OwnedInterval {
  int64_t start = 0;
  int64_t end = 0;
  uint8_t owner = 0;
};

// Intervals to sweep. Those of one owner that follow upon each other, as nested ones do, are one.
template <size_t kOwners>
class OwnedIntervals {
 public:
  template <class Owner>
  void Add(int64_t start, int64_t end, Owner owner) {
    checks_.Turn();
    if (end <= start) return;
    size_t& last = last_[static_cast<size_t>(owner)];
    if (last < all_.size() && all_[last].owner == static_cast<uint8_t>(owner) &&
        start >= all_[last].start && start <= all_[last].end) {
      all_[last].end = std::max(all_[last].end, end);
      return;
    }
    last = all_.size();
    all_.Append({start, end, static_cast<uint8_t>(owner)});
  }

  // By start. Nothing can be added after that.
  std::span<const OwnedInterval> Sorted() {
    std::ranges::sort(all_, {}, &OwnedInterval::start);
    return all_.view();
  }

 private:
  GrowingArray<OwnedInterval> all_;
  StopChecks checks_;
  std::array<size_t, kOwners> last_{};  // of each owner, in `all_`: another's tells by its owner
};

// For each window the time of each owner; owner 0 has what nobody else has, so that they add up to
// the window. REQUIRES: windows follow one another without overlap; `Window` has `start` and `end`.
// Intervals are by start, and may overlap in any way.
template <size_t kOwners, class Window>
std::vector<std::array<int64_t, kOwners>> SweepWindows(std::span<const OwnedInterval> intervals,
                                                       std::span<const Window> windows) {
  std::vector<std::array<int64_t, kOwners>> times;
  times.reserve(windows.size());
  std::array<int64_t, kOwners> until;
  until.fill(INT64_MIN);
  size_t next = 0;
  StopChecks checks;
  for (const Window& window : windows) {
    std::array<int64_t, kOwners>& time = times.emplace_back();
    int64_t now = window.start;
    while (now < window.end) {
      checks.Turn();
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
