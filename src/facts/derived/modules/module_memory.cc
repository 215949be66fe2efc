// Picks the allocator of each device, and lists its blocks.
#include "facts/derived/modules/module_memory.h"

#include <map>
#include <utility>

#include "facts/derived/memory/memory_blocks.h"

namespace stepscope {
namespace {

// By device.
std::map<int64_t, AllocatorMemory> LargestOfEachDevice(const Facts& facts,
                                                       const RankActivity& rank) {
  std::map<int64_t, AllocatorMemory> largest;
  for (AllocatorMemory& memory : FollowAllocators(facts, rank)) {
    const bool of_host = memory.device < 0;
    if (of_host != rank.on_host) continue;
    const auto at = largest.find(memory.device);
    if (at == largest.end())
      largest.emplace(memory.device, std::move(memory));
    else if (memory.AtPeak().level > at->second.AtPeak().level)
      at->second = std::move(memory);
  }
  return largest;
}

void AddBlocks(const std::vector<MemoryEvent>& events, const AllocatorMemory& memory,
               TakenMemory& taken) {
  for (const MemoryBlock& block : memory.blocks) {
    if (block.AliveAt(memory.AtPeak().event))
      taken.blocks.push_back({.event = block.taken, .at_peak = events[block.taken].bytes});
  }
  for (const MemoryMoment& moment : memory.moments) {
    const int64_t bytes = events[moment.event].bytes;
    if (moment.counts && bytes > 0)
      taken.blocks.push_back({.event = moment.event, .allocated = bytes});
  }
}

}  // namespace

TakenMemory MemoryTakenOnDevices(const Facts& facts, const RankActivity& rank) {
  TakenMemory taken;
  if (rank.host->memory.empty()) return taken;
  for (const auto& [device, memory] : LargestOfEachDevice(facts, rank)) {
    taken.known = true;
    taken.blocks_known = taken.blocks_known || !memory.blocks.empty();
    AddBlocks(rank.host->memory, memory, taken);
  }
  return taken;
}

}  // namespace stepscope
