// Sorts memory events by allocator, and pairs allocations with releases.
#include "facts/derived/memory/memory_blocks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"

namespace stepscope {
namespace {

void FindLevels(const std::vector<MemoryEvent>& events, AllocatorMemory& a) {
  a.has_totals = std::ranges::all_of(
      a.moments, [&](const MemoryMoment& m) { return events[m.event].allocated >= 0; });
  int64_t sum = 0, highest = std::numeric_limits<int64_t>::min();
  for (size_t m = 0; m < a.moments.size(); ++m) {
    MemoryMoment& moment = a.moments[m];
    const MemoryEvent& event = events[moment.event];
    sum = AddSaturated(sum, event.bytes);
    moment.level = a.has_totals ? event.allocated : sum;
    if (!moment.counts || moment.level < highest) continue;
    highest = moment.level;
    a.peak = m;
  }
}

void PairBlocks(const std::vector<MemoryEvent>& events, AllocatorMemory& a) {
  std::unordered_map<int64_t, size_t> alive;  // by address: index into blocks
  for (const MemoryMoment& moment : a.moments) {
    const MemoryEvent& event = events[moment.event];
    if (event.address == 0 || event.bytes == 0) continue;
    const auto known = alive.find(event.address);
    if (known != alive.end()) {
      a.blocks[known->second].freed = moment.event;
      alive.erase(known);
    }
    if (event.bytes < 0) continue;
    alive.emplace(event.address, a.blocks.size());
    a.blocks.push_back({.taken = moment.event});
  }
}

bool OnlyAllocates(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::empty_permuted",
       "aten::new_empty", "aten::new_empty_strided", "aten::resize_"});
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

std::vector<AllocatorMemory> FollowAllocators(const Facts& facts, const RankActivity& rank) {
  std::map<std::pair<int64_t, StringId>, AllocatorMemory> found;
  const auto& events = rank.host->memory;
  for (uint32_t e = 0; e < events.size(); ++e) {
    const MemoryDetail* detail = rank.host->DetailOf(events[e]);
    const StringId allocator = detail == nullptr ? kNoString : detail->allocator;
    found[{events[e].device, allocator}].moments.push_back(
        {.event = e, .counts = facts.Counts(rank, events[e].time)});
  }
  std::vector<AllocatorMemory> allocators;
  for (auto& [key, allocator] : found) {
    if (std::ranges::none_of(allocator.moments, &MemoryMoment::counts)) continue;
    std::tie(allocator.device, allocator.allocator) = key;
    FindLevels(events, allocator);
    PairBlocks(events, allocator);
    allocators.push_back(std::move(allocator));
  }
  // Ids of names say nothing about their order.
  std::ranges::stable_sort(allocators, {}, [&](const AllocatorMemory& a) {
    const bool named = a.allocator != kNoString;
    return std::pair(a.device, named ? (*facts.names)[a.allocator] : std::string_view());
  });
  return allocators;
}

void MemoryStep::Add(int64_t bytes, int64_t level) {
  end = level;
  lowest = std::min(lowest, level);
  highest = std::max(highest, level);
  if (bytes < 0) {
    released = SubtractSaturated(released, bytes);
  } else {
    taken = AddSaturated(taken, bytes);
  }
}

std::vector<MemoryStep> FollowSteps(const RankActivity& rank, const AllocatorMemory& memory) {
  std::vector<MemoryStep> by_index(rank.steps.size());
  const auto& events = rank.host->memory;
  for (size_t m = 0; m < memory.moments.size(); ++m) {
    const MemoryMoment& moment = memory.moments[m];
    const MemoryEvent& event = events[moment.event];
    const int32_t at = rank.StepAt(event.time);
    if (at == kNoStep) continue;
    MemoryStep& step = by_index[static_cast<size_t>(at)];
    if (step.step == kNoStep) {
      step.step = at;
      const int64_t before = SubtractSaturated(moment.level, event.bytes);
      step.begin = m == 0 ? before : memory.moments[m - 1].level;
      step.lowest = step.highest = step.begin;
    }
    step.Add(event.bytes, moment.level);
  }
  for (const MemoryBlock& block : memory.blocks) {
    const MemoryEvent& taken = events[block.taken];
    const int32_t at = block.freed == kNeverFreed ? rank.StepAt(taken.time) : kNoStep;
    if (at == kNoStep) continue;
    int64_t& kept = by_index[static_cast<size_t>(at)].kept;
    kept = AddSaturated(kept, taken.bytes);
  }
  std::erase_if(by_index, [](const MemoryStep& step) { return step.step == kNoStep; });
  return by_index;
}

MemoryOwners::MemoryOwners(const StringTable& names, const HostOps& host) {
  std::vector<int8_t> only_allocates(names.size(), -1);
  StopChecks checks;
  for (size_t r = 0; r < host.ranges.size(); ++r) {
    checks.Turn();
    const HostRange& range = host.ranges[r];
    const auto own = static_cast<int32_t>(r);
    const bool is_outermost = range.parent == kNoRange;
    const auto parent = static_cast<size_t>(is_outermost ? 0 : range.parent);
    const int32_t above = is_outermost ? kNoRange : innermost_[parent];
    const int32_t asking_above = is_outermost ? kNoRange : asking_[parent];
    const bool is_operator = range.kind == Kind::kOperator;
    int8_t& known = only_allocates[range.name];
    if (known < 0) known = OnlyAllocates(names[range.name]) ? 1 : 0;
    innermost_.Append(is_operator ? own : above);
    const bool leaves_it = !is_operator || (known == 1 && asking_above != kNoRange);
    asking_.Append(leaves_it ? asking_above : own);
  }
}

}  // namespace stepscope
