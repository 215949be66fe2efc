// Finds PyTorch's anomaly detection, which looks at all gradients of a backward pass.
#pragma once

#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "Anomaly detection looks for NaN in all gradients: 22.3 ms of 88.0 ms per step." Where half of
// the functions of the backward pass, or more, run aten::isnan. Nothing without steps.
void AddAnomalyDetection(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report);

}  // namespace stepscope
