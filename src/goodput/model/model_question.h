// What was asked of the model, checked and completed: from the options of the front door to the
// parameters of the model.
#pragma once

#include <optional>

#include "goodput/model/levers.h"
#include "goodput/model/model.h"
#include "stepscope/goodput_model.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Every number in its range, every pair complete.
Result<void> CheckOptions(const GoodputModelOptions& options);

// Nodes and chips of the job, of which either may give the other.
std::optional<double> NodesOf(const GoodputModelOptions& options);
std::optional<double> ChipsOf(const GoodputModelOptions& options);

// Mean seconds between failures of the job: by nodes that fail independently, and as it was
// observed. REQUIRES CheckOptions().
std::optional<double> ModelledMtbfS(const GoodputModelOptions& options);
std::optional<double> ObservedMtbfS(const GoodputModelOptions& options);
// The one the model goes by.
std::optional<double> MtbfS(const GoodputModelOptions& options);

// `failures`, or the sum of the causes.
std::optional<double> FailuresOf(const GoodputModelOptions& options);

// Whether anything was given that only the model itself can be meant for.
bool AsksForModel(const GoodputModelOptions& options);

// Fails if something is missing, or there is no best interval to take. REQUIRES CheckOptions().
Result<Parameters> ParametersOf(const GoodputModelOptions& options);
LeverAssumptions AssumptionsOf(const GoodputModelOptions& options);

}  // namespace stepscope::goodput
