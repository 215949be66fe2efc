// Writes the batch scripts of a job, and the commands that submit them.
#pragma once

#include "stepscope/cluster.h"

namespace stepscope {

// Where the plan's folder has partials, logs of tasks, the list of traces and the ids of jobs.
std::string PartFolder(const SlurmPlan& plan);
std::string LogFolder(const SlurmPlan& plan);
std::string TracesFile(const SlurmPlan& plan);
std::string JobsFile(const SlurmPlan& plan);

// The array that maps the shards that are missing. `options`: with absolute paths.
BatchJob MapJob(const SlurmPlan& plan, const SlurmOptions& options);
BatchJob ReduceJob(const SlurmPlan& plan, const SlurmOptions& options);

// The command of `reduce`, once the array has this id.
std::vector<std::string> After(std::vector<std::string> command, const std::string& array);

}  // namespace stepscope
