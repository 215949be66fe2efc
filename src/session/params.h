// Checks a user's parameters against those that analyses declare.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyses/analysis.h"
#include "session/plugins.h"
#include "stepscope/result.h"

namespace stepscope {

// The analysis of this name; an error names the nearest one.
Result<AnalysisRef> FindAnalysis(std::string_view name);

// The analyses of these names, without repetition; all of them for an empty list.
Result<std::vector<AnalysisRef>> FindAnalyses(std::span<const std::string> names);

// Values for the parameters of `analysis`: from `given` ("analysis.param" and value), else the
// defaults. Whole numbers in ns may have a unit: "50us". Fails when a value is not of its
// parameter's type. `most_names`: as in AnalyzeOptions.
Result<Params> MakeParams(const Analysis& analysis,
                          std::span<const std::pair<std::string, std::string>> given,
                          int64_t most_names = 0);

// Fails when any of `given` names no parameter of any analysis.
Result<void> CheckParamNames(std::span<const std::pair<std::string, std::string>> given);

}  // namespace stepscope
