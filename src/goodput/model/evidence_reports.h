// Makes the reports besides the model's own: failures, standby machines, chip time, gains.
#pragma once

#include <optional>

#include "stepscope/goodput_model.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// REQUIRES of all: CheckOptions(options). No value if the options hold no input for the report.
std::optional<Report> FailuresReport(const GoodputModelOptions& options);
std::optional<Report> SparesReport(const GoodputModelOptions& options);
std::optional<Report> GainsReport(const GoodputModelOptions& options);

// The same. Fails if numbers are missing or contradict each other.
Result<std::optional<Report>> ProductReport(const GoodputModelOptions& options);

}  // namespace stepscope::goodput
