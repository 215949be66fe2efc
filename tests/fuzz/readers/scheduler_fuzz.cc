// Fuzzes the readers of what schedulers print: Slurm's sacct and scontrol, and Kubernetes' events.
#include <cstdint>
#include <string_view>

#include "goodput/scheduler/kubernetes.h"
#include "goodput/scheduler/slurm.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::scheduler_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  for (const char* job : {"", "train"}) {
    Notes notes;
    const auto slurm = ReadSlurm(bytes, {.job = job, .utc_offset = 0}, notes);
    Require(slurm || !slurm.error().what.empty());
    const auto kubernetes = ReadKubernetes(bytes, {.job = job, .chips_per_pod = 8}, notes);
    Require(kubernetes || !kubernetes.error().what.empty());
  }
}

const fuzz::Register kTarget({.name = "scheduler", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::goodput::scheduler_fuzz
