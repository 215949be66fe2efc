// Reports the state of live jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "goodput/live/live.h"
#include "goodput/program/program_use.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// Reports a table of all jobs. For the named or only job, adds its buckets, step, checkpoint and
// last disruptions. Unavailable if there is no such job. With `program`, adds MFU.
Report LiveReport(std::map<std::string, LiveJob>& jobs, const std::string& job,
                  const std::optional<ProgramRates>& program, int64_t now);

}  // namespace stepscope::goodput
