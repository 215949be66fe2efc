// Builds the tables of the step overview.
#pragma once

#include <vector>

#include "facts/derived/operators/operator_use.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// A row per category, the longest first. `marked`: steps are, so that the table is of one step.
Table CategoryTable(const Facts& facts, const std::vector<RankSteps>& ranks,
                    const StepStatistics& total, bool marked);

// A row per rank and step; `typical` are those without warm-up and slow ones.
Table StepTable(const Facts& facts, const std::vector<RankSteps>& ranks,
                const std::vector<RankSteps>& typical);

// The roles of PyTorch's TensorBoard plugin, per rank.
Table RoleTable(const Facts& facts, const std::vector<RankSteps>& ranks);

// Utilization per device, from the start of the first step to the end of the last.
Table DeviceTable(const Facts& facts, const std::vector<RankSteps>& ranks);

// The ten operators with the most device time.
Table OperatorTable(const Facts& facts, const OperatorUse& use);

// Launches without a recorded kernel, shown where there are any.
Table LaunchTable(const Facts& facts);

}  // namespace stepscope::overview
