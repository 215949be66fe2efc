// The reports beside the model's own: failures, standby machines, program goodput, the product,
// gains.
#pragma once

#include <optional>
#include <vector>

#include "stepscope/goodput_model.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// REQUIRES of all: CheckOptions(options). No value where nothing was given for the report.
std::optional<Report> FailuresReport(const GoodputModelOptions& options);
std::optional<Report> SparesReport(const GoodputModelOptions& options);
std::optional<Report> GainsReport(const GoodputModelOptions& options);

// The same with none or one report; fail where numbers are missing or contradict one another.
Result<std::vector<Report>> ProgramReport(const GoodputModelOptions& options);
Result<std::vector<Report>> ProductReport(const GoodputModelOptions& options);

}  // namespace stepscope::goodput
