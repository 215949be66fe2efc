// Adds the subcommands of `stepscope cluster` to the tree, as root.h does for commands.
#pragma once

#include "cli/command.h"

namespace stepscope::cli {

void AddClusterSlurm(Command& cluster);
void AddClusterKubernetes(Command& cluster);

}  // namespace stepscope::cli
