// Tells evaluation that runs between the steps of training.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// Adds its metrics, and a finding where it recurs and takes much. Else what the headline says:
// " Evaluation between steps takes 31.0 ms in 1 run: 8.3% of the trace (141 calls of
// multi_step_on_iterator)." Where the function is not known: " Forward passes without training
// (evaluation, generation) take 51.0 ms in 1 run: 6.2% of the trace."; empty where it takes little,
// or steps were selected.
Phrase AddEvaluation(const Facts& facts, Report& report);

}  // namespace stepscope::overview
