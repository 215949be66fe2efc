// Finds which parts of which ranks departed from their own past.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stepscope/watch.h"

namespace stepscope {

// As many of the latest windows are compared: a change of the last two then is one by the criterion
// of base/change_point, which wants an eighth of all values on each side.
inline constexpr size_t kComparedWindows = 16;

// Those of the last of these windows, which are in order of time. Parts that come and go are
// compared where they are. A part whose change was told in an earlier window is not told again.
// Those that others explain (a wait for other ranks, a step's time) come last, and else the largest
// first.
std::vector<WatchedDeparture> DeparturesOf(std::span<const WatchedWindow> windows);

// Whether of two departures the first matters more: the larger one, but those that follow from
// others last.
bool ComesFirst(const WatchedDeparture& a, const WatchedDeparture& b);

// Where the steps of `window` took longer than usual: the part that was longest beyond its usual
// time, by the windows before (slow_times.cc).
std::optional<WatchedDeparture> SlowerPart(const std::vector<WatchedWindow>& before,
                                           const WatchedWindow& window);

}  // namespace stepscope
