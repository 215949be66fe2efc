// Tells waiting for the worker processes of a data loader from taking over what they have loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope::input_pipeline {

// ns of all these steps in which the training threads wait for a batch, where that is hardly any of
// their input wait: then the workers keep up, and the time goes into receiving what they made.
// Nothing where the threads wait for most of it, or Python's calls do not tell.
std::optional<int64_t> WaitsWhileWorkersKeepUp(const Facts& facts,
                                               const std::vector<RankSteps>& ranks);

// What to do about that.
extern const std::string_view kReceiveLess;

}  // namespace stepscope::input_pipeline
