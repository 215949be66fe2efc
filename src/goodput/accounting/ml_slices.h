// The reference library's shares of slices, as means over time.
#pragma once

#include <optional>
#include <vector>

#include "goodput/accounting/ml_answer.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {

// What is true from `time` on, in seconds, of the slices that the job wants.
struct MlSliceCount {
  double time = 0, active = 0, available = 0;  // shares
};

MlSliceCount SliceCountOf(double time, const Event& event);

// Means over `over`; before the first record no slice counts. Absent without records.
std::optional<MlSlices> MeanSlices(std::vector<MlSliceCount> counts, SecondsInterval over);

}  // namespace stepscope::goodput
