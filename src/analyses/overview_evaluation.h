// Tells evaluation that runs between the steps of training.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// " Evaluation between steps takes 431 ms in 3 runs: 83.0% of the trace (141 calls of
// multi_step_on_iterator)." Where the function is not known: " Forward passes without training
// (evaluation, generation) take 651 ms in 4 runs: 36.2% of the trace."; empty where it takes
// little, or steps were selected. Adds its metrics.
Phrase AddEvaluation(const Facts& facts, Report& report);

}  // namespace stepscope::overview
