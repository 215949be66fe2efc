// Reads a file of scheduler output and detects the scheduler.
#pragma once

#include <string>
#include <vector>

#include "goodput/events/notes.h"
#include "goodput/scheduler/kubernetes.h"
#include "goodput/scheduler/scheduled_job.h"
#include "goodput/scheduler/slurm.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct SchedulerOptions {
  SlurmOptions slurm;
  KubernetesOptions kubernetes;
};

// Reads sacct's table, scontrol's records or Kubernetes events, plain or gzip, detected by content.
// Fails if the file cannot be read or is none of them.
Result<std::vector<ScheduledJob>> ReadSchedulerFile(const std::string& path,
                                                    const SchedulerOptions& options,
                                                    Notes& note_counts);

}  // namespace stepscope::goodput
