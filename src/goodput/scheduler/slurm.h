// What Slurm's own tools print about jobs: `sacct` where accounting runs, else `scontrol`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/event.h"
#include "goodput/events/oddities.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct SlurmOptions {
  std::string job;  // only this job, by id or by name; empty: all
  // Of the cluster's clock, in seconds east of UTC: Slurm prints local times without their zone.
  // Absent: the zone of this machine. Printed with SLURM_TIME_FORMAT=%s they need none.
  std::optional<int64_t> utc_offset;
};

// Reads either of
//
//   sacct -D -X --parsable2
//   --format=JobID,JobName,State,Submit,Eligible,Start,End,Suspended,ReqTRES,NNodes scontrol show
//   job [-o]
//
// Columns are found by their names and may be more or fewer; State, Submit and Start must be there.
// With -D every attempt of a requeued job has its row. scontrol knows only the last one: what
// came before is counted in `missing_events`. Rows that make no sense are counted and skipped.
// Fails when the text is neither.
Result<std::vector<Event>> ReadSlurm(std::string_view text, const SlurmOptions& options,
                                     Oddities& oddities);

}  // namespace stepscope::goodput
