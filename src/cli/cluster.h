// Adds the subcommands of `stepscope cluster` to the tree, as root.h does for commands.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "stepscope/cluster.h"
#include "stepscope/result.h"

namespace stepscope::cli {

// Finds what URLs among the job's traces lead to, with these options.
Result<void> OpenTraces(ClusterJob& job, const std::vector<std::string>& storage_options);

void AddClusterSlurm(Command& cluster);
void AddClusterKubernetes(Command& cluster);

}  // namespace stepscope::cli
