// Reads from the environment who a process is to its launcher. Part of the recorder's library.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::goodput {

// The process's rank as torchrun, Slurm, MPI, JAX or Kubernetes set it; -1: none does.
int64_t RankFromEnvironment();

// The job's name: STEPSCOPE_JOB, or Slurm's; empty: none.
std::string JobFromEnvironment();

// `name`, or else STEPSCOPE_ATTEMPT, and the restarts that launchers count:
// "name~slurm.4711.1~torchelastic.run.2".
std::string AttemptFromEnvironment(std::string name);

}  // namespace stepscope::goodput
