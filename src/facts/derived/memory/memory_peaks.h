// Describes allocators at their peak: how full, with what contents, and what persists.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/memory/memory_blocks.h"
#include "facts/derived/memory/memory_holdings.h"

namespace stepscope {

// The steps at the end of the recording each of which left more in use than the one before, and
// something that is never given back.
struct MemoryGrowth {
  int64_t steps = 0;
  int64_t each = 0;  // bytes that every one of them added at least
};

struct MemoryPeak {
  const RankActivity* rank = nullptr;
  AllocatorMemory memory;
  std::vector<MemoryStep> steps;
  MemoryHoldings at_peak, never_freed;
  OperatorAllocations operators;
  int64_t peak = 0;        // bytes
  int64_t time = 0;        // ns, of the peak
  int32_t step = kNoStep;  // index into RankActivity::steps: the peak is in this one
  int64_t capacity = -1;   // bytes; -1: not known
  // The lowest level within that step; -1: it is in none, or levels are no totals.
  int64_t persistent = -1;
  MemoryGrowth growth;

  bool KnowsHeadroom() const { return memory.has_totals && capacity > 0; }
  double Used() const;  // of the capacity, above 1 where that is too low; -1: not known
  std::optional<int64_t> Headroom() const;  // bytes; nothing where the peak is above the capacity
  // How much larger the part may become that comes and goes with each step, until that much of the
  // capacity is in use. Nothing where that is not known, or no such part.
  std::optional<double> BatchFactor(double of_capacity) const;
};

// Of all allocators, the fullest first, those of devices before those of hosts. `capacity`: of each
// device; 0: what the trace says.
std::vector<MemoryPeak> FindMemoryPeaks(const Facts& facts, int64_t capacity);

}  // namespace stepscope
