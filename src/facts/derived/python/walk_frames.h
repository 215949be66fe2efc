// Walks the Python frames of a thread: which is the innermost, and when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Goes through the frames of a thread: calls enter(f, frame) when one begins, visit(f, frame,
// start, end) for each stretch in which it is the innermost, leave(f, frame) when it has ended. `f`
// is its place among `frames`. Stretches ascend and never overlap, whatever frames do.
template <class Enter, class Visit, class Leave>
void WalkFrames(const HostFrames& frames, const Enter& enter, const Visit& visit,
                const Leave& leave) {
  struct Open {
    size_t place;
    HostFrame frame;
  };
  std::vector<Open> open;
  int64_t now = INT64_MIN;
  const auto advance = [&](int64_t until) {
    while (!open.empty()) {
      const auto& [f, frame] = open.back();
      const int64_t stop = std::min(frame.end, until);
      if (stop > now) {
        visit(f, frame, now, stop);
        now = stop;
      }
      if (frame.end > until) break;
      leave(f, frame);
      open.pop_back();
    }
    now = std::max(now, until);
  };
  StopChecks checks;
  for (size_t f = 0; f < frames.size(); ++f) {
    checks.Turn();
    const HostFrame frame = frames[f];
    advance(frame.start);
    open.push_back({f, frame});
    enter(f, frame);
  }
  advance(INT64_MAX);
}

}  // namespace stepscope
