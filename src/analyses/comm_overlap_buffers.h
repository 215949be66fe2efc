// Finds what DistributedDataParallel sends of a module's buffers in each forward pass.
#pragma once

#include <cstdint>
#include <optional>

#include "facts/facts.h"

namespace stepscope {

// Broadcasts within the forward pass of DistributedDataParallel, of ranks in the mean.
struct BufferBroadcasts {
  int64_t time = 0;    // ns, without waiting for the last rank
  int64_t passes = 0;  // forward passes with any
  int64_t bytes = -1;  // per pass; -1: unknown
};
// Where they take half of the communication beyond waiting, or more. Of jobs whose hosts
// communicate: a device runs them later than the pass that starts them.
std::optional<BufferBroadcasts> FindBufferBroadcasts(const Facts& facts);

}  // namespace stepscope
