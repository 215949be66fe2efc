// Reads jobs from the output of Slurm's `sacct`, or of `scontrol` without accounting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/events/notes.h"
#include "goodput/scheduler/scheduled_job.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct SlurmOptions {
  std::string job;  // only this job, by id or by name; empty: all
  // Zone of the cluster, in seconds east of UTC: Slurm prints local times without zone. Absent:
  // this machine's zone. Not needed with SLURM_TIME_FORMAT=%s.
  std::optional<int64_t> utc_offset;
};

// Reads the output of one of
//
//   sacct -D -X --parsable2 --format=JobID,JobName,State,Submit,...
//     (also Eligible, End, Suspended, ReqTRES, NNodes, JobIDRaw)
//   scontrol show job [-o]
//
// Columns are found by their names and may be more or fewer; State, Submit and Start must be there.
// With -D every attempt of a requeued job has its row. scontrol has only the last one;
// earlier ones are counted in `missing_events`. Counts and skips invalid rows. Fails if the text is
// neither.
Result<std::vector<ScheduledJob>> ReadSlurm(std::string_view text, const SlurmOptions& options,
                                            Notes& note_counts);

}  // namespace stepscope::goodput
