// Walks the Python frames of a thread: which is the innermost, and when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// Goes through the frames of a thread: calls enter(f) when a frame begins, visit(f, start, end) for
// each stretch in which it is the innermost, leave(f) when it has ended. Stretches ascend and never
// overlap, whatever frames do.
template <class Enter, class Visit, class Leave>
void WalkFrames(const HostFrames& frames, const Enter& enter, const Visit& visit,
                const Leave& leave) {
  struct Open {
    size_t frame;
    int64_t end;
  };
  std::vector<Open> open;
  int64_t now = INT64_MIN;
  const auto advance = [&](int64_t until) {
    while (!open.empty()) {
      const auto [frame, end] = open.back();
      const int64_t stop = std::min(end, until);
      if (stop > now) {
        visit(frame, now, stop);
        now = stop;
      }
      if (end > until) break;
      leave(frame);
      open.pop_back();
    }
    now = std::max(now, until);
  };
  StopChecks checks;
  for (size_t f = 0; f < frames.size(); ++f) {
    checks.Turn();
    const HostFrame frame = frames[f];
    advance(frame.start);
    open.push_back({f, frame.end});
    enter(f);
  }
  advance(INT64_MAX);
}

}  // namespace stepscope
