// Counts how often data-parallel training all-reduces its gradients per optimizer step.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/facts.h"

namespace stepscope {

// Between two optimizer steps several backward passes ran, and after each the gradients were
// all-reduced in as many messages of the same sizes.
struct RepeatedSyncs {
  int64_t per_step = 0;  // all-reduced backward passes per optimizer step, at least 2
  int64_t steps = 0;     // optimizer steps of all ranks, with all since the one before recorded
  int64_t messages = 0;  // of each pass
};

// Known of PyTorch's DistributedDataParallel alone, from its annotations and those of optimizers on
// one thread. Nothing where optimizer steps differ, or any backward pass left the all-reduce out,
// as under no_sync.
std::optional<RepeatedSyncs> FindRepeatedSyncs(const Facts& facts);

}  // namespace stepscope
