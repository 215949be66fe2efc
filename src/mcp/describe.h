// Says what a run is and what it lacks.
#pragma once

#include <cstddef>
#include <string>

#include "mcp/message.h"
#include "stepscope/report.h"

namespace stepscope::mcp {

// Whose job it is, its ranks and steps, what was not recorded, irregularities of the input, and
// which analyses cannot answer.
std::string DescribeRun(const ReportSet& answer, size_t budget);

// The same as data: numbers and names of analyses. And its JSON schema.
Json RunAsJson(const ReportSet& answer);
Json RunSchema();

}  // namespace stepscope::mcp
