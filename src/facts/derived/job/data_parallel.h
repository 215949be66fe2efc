// Decides which of PyTorch's wrappers for data-parallel training a job uses.
#pragma once

#include "facts/facts.h"

namespace stepscope {

struct DataParallel {
  bool ddp = false;    // DistributedDataParallel, or its reducer, ran
  bool fsdp = false;   // FullyShardedDataParallel
  bool fsdp2 = false;  // fully_shard
};

// By the annotations and operators of all ranks. Where neither was recorded, nothing is known.
const DataParallel& DataParallelOf(const Facts& facts);

}  // namespace stepscope
