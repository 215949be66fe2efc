// Tables of the input pipeline by step, for pictures: what the step's time went to, and what
// threads of the host did for the input meanwhile.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/steps/input_pipeline.h"
#include "stepscope/report.h"

namespace stepscope::input_pipeline {

struct RankInput {
  const RankActivity* rank = nullptr;
  InputPipeline activity;
};

// Adds the tables `steps` (by rank and step, ns: the device's work, waiting for input, and all
// else, which add up to the step's time) and `host_steps` (ns of threads by category of input, so
// that a step may have more than its time), the latter where any thread did something. `inputs`:
// one for each of `ranks`.
void AddInputSteps(Report& report, const std::vector<RankSteps>& ranks,
                   const std::vector<RankInput>& inputs);

}  // namespace stepscope::input_pipeline
