// Finds overlays that only a query can know: spans that never ended, and what steps took beyond the
// usual.
#pragma once

#include <cstdint>
#include <span>

#include "goodput/accounting/attempt.h"

namespace stepscope::goodput {

// Steps of the whole job.
struct UsualStep {
  int64_t time = 0;   // median of finished steps without what spans cover
  int64_t steps = 0;  // of so many
};

// Adds spans that the process began and never ended, up to `until`: those after which no step
// began.
void AddOpenSpans(const Attempt& attempt, int64_t until, std::span<const std::string> labels,
                  Overlays& to);

// Adds the excess of long steps, and of the last one if the attempt ended in it. `pieces` are the
// other overlays.
void AddStalls(const JointAttempt& attempt, const Surroundings& around, const UsualStep& usual,
               std::span<const Overlays::Piece> pieces, Overlays& to);

}  // namespace stepscope::goodput
