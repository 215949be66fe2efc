// Lists the blocks that the allocators of a trace's devices gave out, for modules to be charged
// with.
//
// Of several allocators of one device the one with the highest peak counts: two of one device may
// manage the same memory. Where the job has no accelerator, the host's own memory counts.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct TakenBlock {
  uint32_t event = 0;     // index into HostOps::memory
  int64_t allocated = 0;  // bytes, if the event counts; else 0
  int64_t at_peak = 0;    // bytes, if the block was alive at its allocator's peak; else 0
};

struct TakenMemory {
  bool known = false;         // there are memory events of devices that count
  bool blocks_known = false;  // with addresses, so that blocks can be followed to the peak
  std::vector<TakenBlock> blocks;
};

// Linear in the memory events but for sorting. Peaks and blocks as of FollowAllocators().
TakenMemory MemoryTakenOnDevices(const Facts& facts, const RankActivity& rank);

}  // namespace stepscope
