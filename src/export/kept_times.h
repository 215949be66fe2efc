// Selects the exported part of a trace: all of it, or some steps.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "facts/steps/steps.h"

namespace stepscope {

// Stretches of time, on the host and on the devices: a step's activities run after the host asked
// for it.
class KeptTimes {
 public:
  // Of the selected steps: on the host from a step's beginning to its end; on the devices from the
  // start of its first activity to the end of its last.
  static KeptTimes Of(const RankActivity& rank, const StepSelection& selection);

  // Whether an event is in them, if only in part.
  bool Has(Kind kind, int64_t start, int64_t duration) const;

 private:
  struct Stretch {
    int64_t start = 0, end = 0;
  };
  static void Merge(std::vector<Stretch>& stretches);
  static bool Meets(const std::vector<Stretch>& stretches, int64_t start, int64_t end);

  bool all_ = true;
  std::vector<Stretch> host_, device_;  // ascending, apart from each other
};

}  // namespace stepscope
