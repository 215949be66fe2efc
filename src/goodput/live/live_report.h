// The state of live jobs as a report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "goodput/live/live.h"
#include "goodput/program/program_use.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// A table of all jobs; of the one that is named, or that is alone, also where its time went, its
// step, its checkpoint and its last disruptions. Unavailable when there is no such job.
// With `program` also how much of its chips a job uses.
Report LiveReport(std::map<std::string, LiveJob>& jobs, const std::string& job,
                  const std::optional<ProgramRates>& program, int64_t now);

}  // namespace stepscope::goodput
