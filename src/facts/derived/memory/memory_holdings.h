// Groups memory blocks by operator and contents.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "facts/derived/memory/memory_blocks.h"

namespace stepscope {

// What blocks are for; texts that the trace does not give are empty.
struct MemoryPurpose {
  std::string operation;  // the operator that asked; "(no operator)" outside of any
  // Of an element, and of the block: as the allocator says. PyTorch's says neither; there these are
  // the inputs of the operator, where shapes were recorded.
  std::string type, shape;
  std::string region;  // "temp", "output", "persist/dynamic"

  auto operator<=>(const MemoryPurpose&) const = default;
};

struct MemoryHolding {
  int64_t bytes = 0;
  int64_t requested = -1;  // before rounding up; -1: the trace does not say
  int64_t blocks = 0;
  int64_t steps = 0;  // in which the blocks were taken

  void Add(const MemoryHolding& other);
};

using MemoryHoldings = std::map<MemoryPurpose, MemoryHolding>;

inline constexpr const char* kStackMemory = "(stack)";
inline constexpr const char* kMemoryFromBefore = "(allocated before the trace)";

// What an allocator's peak consists of. With totals the rows add up to the peak: what it sets aside
// for temporaries and what was there before the recording are among them. Empty where nothing is
// known.
MemoryHoldings HoldingsAtPeak(const Facts& facts, const RankActivity& rank,
                              const MemoryOwners& owners, const AllocatorMemory& memory);

// The blocks that were taken in steps and not given back to the end of the recording.
MemoryHoldings NeverFreed(const Facts& facts, const RankActivity& rank, const MemoryOwners& owners,
                          const AllocatorMemory& memory);

// What an operator allocates and gives back itself, operators within it left out.
struct Allocations {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t increase = 0;  // bytes allocated less bytes given back
};
using OperatorAllocations = std::map<std::string, Allocations>;

// Of the events that count, by the innermost operator; events outside of any are left out.
OperatorAllocations AllocationsByOperator(const Facts& facts, const RankActivity& rank,
                                          const MemoryOwners& owners,
                                          const AllocatorMemory& memory);

}  // namespace stepscope
