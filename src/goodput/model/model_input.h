// Turns GoodputModelOptions into checked parameters of the model.
#pragma once

#include <optional>

#include "goodput/model/levers.h"
#include "goodput/model/model.h"
#include "stepscope/goodput_model.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

inline constexpr double kDayS = 86400;

// Checks that every number is in range and every pair complete.
Result<void> CheckOptions(const GoodputModelOptions& options);

// Nodes and chips of the job; each is derived from the other if missing.
std::optional<double> NodesOf(const GoodputModelOptions& options);
std::optional<double> ChipsOf(const GoodputModelOptions& options);

// Mean seconds between failures of the job: modeled from independent nodes, and
// observed. REQUIRES CheckOptions().
std::optional<double> ModeledMtbfS(const GoodputModelOptions& options);
std::optional<double> ObservedMtbfS(const GoodputModelOptions& options);
// The one that the model uses.
std::optional<double> MtbfS(const GoodputModelOptions& options);

// `failures`, or the sum of the causes.
std::optional<double> FailuresOf(const GoodputModelOptions& options);

// Whether an option was given that only the model itself uses.
bool HasModelInput(const GoodputModelOptions& options);

// Fails if an input is missing, or no interval is given and no best one exists. REQUIRES
// CheckOptions().
Result<Parameters> ParametersOf(const GoodputModelOptions& options);
LeverAssumptions AssumptionsOf(const GoodputModelOptions& options);

}  // namespace stepscope::goodput
