// The list of all launches and the sums of all calls, parts of launch statistics.
#pragma once

#include <string_view>

#include "facts/facts.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::launch_stats {

// Of the parameter that asks for the list.
Result<void> CheckLaunches(std::string_view text);

// One row per activity with a launch call, in order of starts.
Table LaunchesTable(const Facts& facts);

// One row per name of a call of the runtime or driver, whether it launches anything or not, over
// all ranks.
Table RuntimeCallsTable(const Facts& facts);

}  // namespace stepscope::launch_stats
